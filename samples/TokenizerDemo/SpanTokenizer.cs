using System.Buffers;
using System.Runtime.InteropServices;

namespace Picollo.Samples.Tokenizer;

/// <summary>A tokenizer that does not create a string for each word. It converts the line to lower case in a reused buffer, and looks up each
/// word once, as a span of this buffer. Only a new token becomes a string.</summary>
public sealed class SpanTokenizer : LineTokenizer
{
    private static readonly SearchValues<char> SeparatorValues = SearchValues.Create(Separators);

    private readonly Dictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> _countsBySpan;
    private char[] _buffer = new char[1_024];

    public SpanTokenizer() => _countsBySpan = Counts.GetAlternateLookup<ReadOnlySpan<char>>();

    public override void Count(string line)
    {
        if (line.Length > _buffer.Length)
        {
            _buffer = new char[line.Length * 2];
        }

        // Conversion to lower case does not change the length, so the buffer is large enough.
        ReadOnlySpan<char> rest = _buffer.AsSpan(0, line.AsSpan().ToLowerInvariant(_buffer));
        int start = rest.IndexOfAnyExcept(SeparatorValues);
        while (start >= 0)
        {
            rest = rest[start..];
            int length = rest.IndexOfAny(SeparatorValues);
            if (length < 0)
            {
                length = rest.Length;
            }

            CollectionsMarshal.GetValueRefOrAddDefault(_countsBySpan, rest[..length], out _)++;
            rest = rest[length..];
            start = rest.IndexOfAnyExcept(SeparatorValues);
        }
    }
}
