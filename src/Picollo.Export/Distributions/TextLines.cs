namespace Picollo.Export;

/// <summary>Reads lines as <see cref="TextReader.ReadLine"/> does, but with a limit of the length, and without a byte-order mark.</summary>
internal sealed class TextLines(TextReader input)
{
    private const char ByteOrderMark = '\uFEFF'; // an editor may have added it
    private const int MaxLength = 1 << 16;

    private readonly StringBuilder _line = new();

    /// <summary>The number of the current line, from 1.</summary>
    public long Number { get; private set; }

    /// <summary>Returns the next line without its line ending; <see langword="null"/> at the end.</summary>
    /// <exception cref="HdrHistogramFormatException">The line has more than 65,536 characters.</exception>
    public string? Read()
    {
        _line.Clear();
        Number++;
        int next;
        while ((next = input.Read()) is not ('\n' or '\r' or -1))
        {
            if (_line.Length == MaxLength)
            {
                throw new HdrHistogramFormatException($"The line has more than {MaxLength} characters", MaxLength, Number);
            }

            if (next != ByteOrderMark || Number > 1 || _line.Length > 0)
            {
                _line.Append((char)next);
            }
        }

        if (next == '\r' && input.Peek() == '\n')
        {
            input.Read();
        }

        return next < 0 && _line.Length == 0 ? null : _line.ToString();
    }
}
