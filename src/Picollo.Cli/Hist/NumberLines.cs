namespace Picollo.Cli.Hist;

/// <summary>Reads numbers into a histogram: one per line, or from a column of separated values. Keeps only one block of text in
/// memory.</summary>
/// <param name="column">The column: its number, starting at 1, or its name in the first line; null if each line is a number. Empty lines
/// are skipped. With a column number, a first line without a number in this column is skipped as well.</param>
internal sealed class NumberLines(string input, string? column, NumberHistogram histogram, BadLines badLines)
{
    /// <summary>The length in bytes from which a line is invalid.</summary>
    internal const int BlockSize = 1 << 18;

    private const byte LineEnd = (byte)'\n';
    private const byte Quote = (byte)'"';
    private const uint MaxDigits = 19; // 10¹⁹ − 1 fits into 64 bits

    private readonly byte[] _block = new byte[BlockSize];
    private readonly ulong[] _numbers = new ulong[2048];
    private int _numberCount;
    private ulong _line = 1;
    private bool _isInLongLine;
    private int? _column; // starts at 0; null before the first line
    private byte _separator;

    /// <summary>Reads to the end of the stream.</summary>
    /// <exception cref="CommandException">The input contains an invalid line and these are not skipped, or the column does not
    /// exist.</exception>
    public void Read(Stream stream)
    {
        try
        {
            int length = 0;
            while (stream.Read(_block.AsSpan(length)) is var read and > 0)
            {
                length += read;
                int parsed = Parse(_block.AsSpan(0, length), isAll: length == BlockSize);
                _block.AsSpan(parsed, length - parsed).CopyTo(_block);
                length -= parsed;
                if (length == BlockSize)
                {
                    badLines.Add(input, _line, Invariant($"longer than {BlockSize - 1:N0} bytes"));
                    _isInLongLine = true;
                    length = 0;
                }
            }

            if (length > 0)
            {
                _block[length] = LineEnd; // there is room: a full block was handled above
                Parse(_block.AsSpan(0, length + 1), isAll: true);
            }
        }
        finally
        {
            Flush(); // keeps the numbers that were read before an interruption
        }
    }

    /// <summary>Parses the complete lines.</summary>
    /// <param name="text">The text, which starts at a line, or within a line that is too long.</param>
    /// <param name="isAll">Whether no more text can be appended.</param>
    private int Parse(ReadOnlySpan<byte> text, bool isAll)
    {
        int start = 0;
        if (_isInLongLine)
        {
            start = text.IndexOf(LineEnd) + 1;
            if (start == 0)
            {
                return text.Length;
            }

            _isInLongLine = false;
            _line++;
        }

        text = text[start..(text.LastIndexOf(LineEnd) + 1)];
        return start + (column is null ? ParseNumbers(text) : ParseRecords(text, isAll));
    }

    private int ParseNumbers(ReadOnlySpan<byte> text)
    {
        for (int i = 0; i < text.Length; i++, _line++)
        {
            // The last byte is a line end and not a digit, so i stays within the text.
            int start = i;
            ulong number = 0;
            for (uint digit; (digit = (uint)(text[i] - '0')) <= 9; i++)
            {
                number = (number * 10) + digit;
            }

            if (text[i] == LineEnd && (uint)(i - start) - 1 < MaxDigits)
            {
                Add(number);
            }
            else
            {
                i += text[i..].IndexOf(LineEnd);
                ParseLine(text[start..i]);
            }
        }

        return text.Length;
    }

    private int ParseRecords(ReadOnlySpan<byte> text, bool isAll)
    {
        int start = 0;
        while (start < text.Length)
        {
            int length = LengthOfRecord(text[start..], out uint lines);
            if (length >= 0)
            {
                ParseRecord(text.Slice(start, length));
            }
            else if (isAll)
            {
                badLines.Add(input, _line, "an opening quote has no closing quote");
                length = text[start..].IndexOf(LineEnd);
            }
            else
            {
                return start;
            }

            start += length + 1;
            _line += lines;
        }

        return start;
    }

    /// <summary>Returns the length of the first record without its line ending, or -1 if the record is incomplete. A line break within
    /// quotes is part of the record.</summary>
    private static int LengthOfRecord(ReadOnlySpan<byte> text, out uint lines)
    {
        int length = text.IndexOf(LineEnd);
        int quotes = text[..length].Count(Quote);
        for (lines = 1; quotes % 2 != 0; lines++)
        {
            int more = text[(length + 1)..].IndexOf(LineEnd);
            if (more < 0)
            {
                lines = 1;
                return -1;
            }

            quotes += text.Slice(length + 1, more).Count(Quote);
            length += more + 1;
        }

        return length;
    }

    private void ParseRecord(ReadOnlySpan<byte> record)
    {
        bool isFirst = _column is null;
        if (isFirst)
        {
            record = WithoutByteOrderMark(record);
            _separator = CsvLine.SeparatorOf(record);
            if (!int.TryParse(column, NumberStyles.None, CultureInfo.InvariantCulture, out int number) || number == 0)
            {
                List<string> names = CsvLine.All(record, _separator);
                int found = names.FindIndex(name => name.Trim() == column);
                _column = found >= 0
                    ? found
                    : throw new CommandException($"{input}: no column '{column}'; available columns: {DistributionReader.ListOf(names)}");
                return;
            }

            _column = number - 1;
        }

        if (record.Trim(" \t\r"u8).IsEmpty)
        {
            return;
        }

        if (!CsvLine.TryGet(record, _separator, _column!.Value, out ReadOnlySpan<byte> value))
        {
            badLines.Add(input, _line, $"no column {column}");
        }
        else if (!isFirst || NumberText.Parse(value, out _, out _) != NumberKind.NotANumber)
        {
            ParseValue(value);
        }
    }

    private void ParseLine(ReadOnlySpan<byte> line)
    {
        line = _line == 1 ? WithoutByteOrderMark(line) : line;
        if (!line.Trim(" \t\r"u8).IsEmpty)
        {
            ParseValue(line);
        }
    }

    private void ParseValue(ReadOnlySpan<byte> value)
    {
        switch (NumberText.Parse(value, out ulong whole, out double fraction))
        {
            case NumberKind.Whole:
                Add(whole);
                break;
            case NumberKind.Fraction:
                histogram.Record(fraction);
                break;
            case NumberKind.Negative:
                badLines.Add(input, _line, "negative", value);
                break;
            case NumberKind.TooLarge:
                badLines.Add(input, _line, "larger than 18,446,744,073,709,551,615", value);
                break;
            default:
                string remedy = _line > 1 || column is not null ? ""
                    : value.ContainsAny(",;\t"u8) ? "; use --column to read a CSV column, or --format to specify another format"
                    : "; use --format to specify another format";
                badLines.Add(input, _line, $"not a number{remedy}", value);
                break;
        }
    }

    private void Add(ulong number)
    {
        _numbers[_numberCount++] = number;
        if (_numberCount == _numbers.Length)
        {
            Flush();
        }
    }

    private void Flush()
    {
        histogram.Record(_numbers.AsSpan(0, _numberCount));
        _numberCount = 0;
    }

    private static ReadOnlySpan<byte> WithoutByteOrderMark(ReadOnlySpan<byte> line) => line.StartsWith("\uFEFF"u8) ? line[3..] : line;
}
