using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics;
using System.Text;

namespace Picollo.Export;

/// <summary>Puts bytes into a buffer writer, asking it for memory as seldom as it can.</summary>
internal ref struct Utf8Lines(IBufferWriter<byte> output)
{
    /// <summary>The most bytes that a number takes.</summary>
    public const int NumberLength = 32;

    /// <summary>The bytes that the output is asked for at once after its first span. A response gives 4 KB unless it is asked for more, and
    /// sends each span as a chunk of HTTP: a scrape of 3 MB took twice as long then (November 2026).</summary>
    private const int SpanLength = 1 << 16;

    private Span<byte> _free;
    private int _written;

    /// <summary>Makes room for so many bytes.</summary>
    public void Reserve(int length)
    {
        if (_free.Length < length)
        {
            bool isFirst = _written == 0;
            Flush();
            _free = output.GetSpan(isFirst ? length : Math.Max(length, SpanLength));
        }
    }

    /// <summary>Writes bytes that there is room for.</summary>
    public void Write(scoped ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_free);
        Skip(bytes.Length);
    }

    /// <summary>Writes text, and makes room for it.</summary>
    public void WriteText(string text)
    {
        Reserve(Encoding.UTF8.GetMaxByteCount(text.Length));
        Skip(Encoding.UTF8.GetBytes(text, _free));
    }

    /// <summary>Writes a line with a number before its end, and makes room for it. Most of an exposition is such lines: for each, the state
    /// of this writer is read and written once instead of four times.</summary>
    public void WriteLine(scoped ReadOnlySpan<byte> start, scoped ReadOnlySpan<byte> rest, ulong number, scoped ReadOnlySpan<byte> end)
    {
        Reserve(start.Length + rest.Length + NumberLength + end.Length + 1);
        Span<byte> free = _free;
        start.CopyTo(free);
        rest.CopyTo(free[start.Length..]);
        int length = start.Length + rest.Length;
        bool fits = Utf8Formatter.TryFormat(number, free[length..], out int digits);
        Debug.Assert(fits, "there is room for the longest number");
        length += digits;
        end.CopyTo(free[length..]);
        length += end.Length;
        free[length] = (byte)'\n';
        Skip(length + 1);
    }

    /// <summary>Writes a number that there is room for, as the shortest decimal that is read as the same.</summary>
    public void Write(double number)
    {
        if (double.IsInfinity(number))
        {
            Write(number > 0 ? "+Inf"u8 : "-Inf"u8);
            return;
        }

        bool fits = number.TryFormat(_free, out int length, default, CultureInfo.InvariantCulture);
        Debug.Assert(fits, "there is room for the longest number");
        Skip(length);
    }

    /// <summary>Hands over what was written; the last call.</summary>
    public void Flush()
    {
        if (_written > 0)
        {
            output.Advance(_written); // not by 0 where no memory was asked for: Kestrel's writer takes that for a fault
        }

        _free = default;
        _written = 0;
    }

    private void Skip(int length)
    {
        _free = _free[length..];
        _written += length;
    }
}
