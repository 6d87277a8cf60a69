namespace Picollo.Cli.Hist;

/// <summary>Splits a line of separated values. A value that contains a separator, a quote or a line break is enclosed in quotes, and quotes
/// within it are doubled.</summary>
internal static class CsvLine
{
    private const byte Quote = (byte)'"';

    /// <summary>Returns the separator that occurs most often outside quotes: comma, semicolon or tab. On a tie, the first in this
    /// order.</summary>
    public static byte SeparatorOf(ReadOnlySpan<byte> line)
    {
        byte best = (byte)',';
        int maxCount = 0;
        foreach (byte separator in ",;\t"u8)
        {
            int count = 0;
            for (int end = EndOf(line, 0, separator); end < line.Length; end = EndOf(line, end + 1, separator))
            {
                count++;
            }

            if (count > maxCount)
            {
                (best, maxCount) = (separator, count);
            }
        }

        return best;
    }

    /// <param name="column">The column index, starting at 0.</param>
    public static bool TryGet(ReadOnlySpan<byte> line, byte separator, int column, out ReadOnlySpan<byte> value)
    {
        int start = 0;
        int end = EndOf(line, start, separator);
        for (; column > 0 && end < line.Length; column--)
        {
            start = end + 1;
            end = EndOf(line, start, separator);
        }

        value = column > 0 ? default : Unquote(line[start..end]);
        return column == 0;
    }

    public static List<string> All(ReadOnlySpan<byte> line, byte separator)
    {
        List<string> values = [];
        while (TryGet(line, separator, values.Count, out ReadOnlySpan<byte> value))
        {
            values.Add(Encoding.UTF8.GetString(value).Replace("\"\"", "\"", StringComparison.Ordinal));
        }

        return values;
    }

    private static ReadOnlySpan<byte> Unquote(ReadOnlySpan<byte> value)
    {
        value = value.Trim(" \t\r"u8);
        return value.Length >= 2 && value[0] == Quote && value[^1] == Quote ? value[1..^1] : value;
    }

    /// <summary>Returns the index of the separator or line end that follows the value at <paramref name="start"/>.</summary>
    private static int EndOf(ReadOnlySpan<byte> line, int start, byte separator)
    {
        int end = start;
        if (end < line.Length && line[end] == Quote)
        {
            // A doubled quote closes and reopens the quotes, so it needs no special case.
            do
            {
                int closing = line[(end + 1)..].IndexOf(Quote);
                if (closing < 0)
                {
                    return line.Length;
                }

                end += closing + 2;
            }
            while (end < line.Length && line[end] == Quote);
        }

        int length = line[end..].IndexOf(separator);
        return length < 0 ? line.Length : end + length;
    }
}
