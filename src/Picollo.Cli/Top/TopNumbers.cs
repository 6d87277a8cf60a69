namespace Picollo.Cli.Top;

/// <summary>Formats right-aligned numbers as top(1) does: in the smallest unit that fits the column. Does not allocate.</summary>
/// <remarks><see cref="StringBuilder.Insert(int, string, int)"/> allocates (1.4 KB per row, measured on 2026-11-22).</remarks>
internal static class TopNumbers
{
    private const string Unknown = "-";
    private const string TooLarge = "?";

    /// <summary>The suffixes of units above kibibytes, which have no suffix.</summary>
    private const string MemoryUnits = "mgtpe";

    /// <summary>The size of the buffer, sufficient for any number with its unit.</summary>
    private const int BufferLength = 48;

    private static readonly CultureInfo Culture = CultureInfo.InvariantCulture;

    /// <summary>Appends a number of bytes in kibibytes, or in a larger unit with one decimal.</summary>
    public static StringBuilder AppendMemory(StringBuilder to, long? bytes, int width) =>
        bytes >> 10 is not { } kibibytes ? AppendText(to, Unknown, width)
        : kibibytes < Math.Pow(10, width) ? AppendCount(to, kibibytes, width)
        : AppendScaled(to, kibibytes / 1024.0, 1024, MemoryUnits, width);

    /// <summary>Appends a share in percent, with one decimal if it fits.</summary>
    public static StringBuilder AppendPercent(StringBuilder to, double? share, int width)
    {
        if (share * 100 is not { } percent)
        {
            return AppendText(to, Unknown, width);
        }

        Span<char> text = stackalloc char[BufferLength];
        int length = 0;
        _ = Fits(percent, width, decimals: 1) ? text.TryWrite(Culture, $"{percent:0.0}", out length)
            : Fits(percent, width, decimals: 0) && text.TryWrite(Culture, $"{percent:0}", out length);
        return length > 0 ? AppendText(to, text[..length], width) : AppendScaled(to, percent / 1000, 1000, "kMG", width);
    }

    /// <summary>Appends a time in the first format that fits: minutes, seconds and hundredths (<c>M:SS.cc</c>), minutes and seconds
    /// (<c>M:SS</c>), hours and minutes (<c>H,MM</c>), hours, days or weeks.</summary>
    public static StringBuilder AppendTime(StringBuilder to, TimeSpan time, int width)
    {
        long hundredths = time.Ticks / (TimeSpan.TicksPerSecond / 100);
        long seconds = hundredths / 100;
        long minutes = seconds / 60;
        long hours = minutes / 60;
        long days = hours / 24;
        Span<char> text = stackalloc char[BufferLength];
        int length;
        _ = minutes < Math.Pow(10, width - 6) ? text.TryWrite(Culture, $"{minutes}:{seconds % 60:00}.{hundredths % 100:00}", out length)
            : minutes < Math.Pow(10, width - 3) ? text.TryWrite(Culture, $"{minutes}:{seconds % 60:00}", out length)
            : hours < Math.Pow(10, width - 3) ? text.TryWrite(Culture, $"{hours},{minutes % 60:00}", out length)
            : hours < Math.Pow(10, width - 1) ? text.TryWrite(Culture, $"{hours}h", out length)
            : days < Math.Pow(10, width - 1) ? text.TryWrite(Culture, $"{days}d", out length)
            : text.TryWrite(Culture, $"{days / 7}w", out length);
        return AppendText(to, text[..length], width);
    }

    /// <summary>Appends a whole number, or a question mark if it does not fit the column.</summary>
    public static StringBuilder AppendCount(StringBuilder to, long? count, int width)
    {
        Span<char> text = stackalloc char[BufferLength];
        return count is not { } number ? AppendText(to, Unknown, width)
            : number.TryFormat(text, out int length, default, Culture) && length <= width ? AppendText(to, text[..length], width)
            : AppendText(to, TooLarge, width);
    }

    public static StringBuilder AppendText(StringBuilder to, ReadOnlySpan<char> text, int width) =>
        to.Append(' ', Math.Max(width - text.Length, 0)).Append(text);

    // Uses the unit with the fewest digits before the decimal point, and one decimal if it fits.
    private static StringBuilder AppendScaled(StringBuilder to, double value, double step, string units, int width)
    {
        int unit = 0;
        while (unit < units.Length - 1 && (value >= step || !Fits(value, width - 1, decimals: 0)))
        {
            value /= step;
            unit++;
        }

        Span<char> text = stackalloc char[BufferLength];
        int length;
        _ = Fits(value, width - 1, decimals: 1)
            ? text.TryWrite(Culture, $"{value:0.0}{units[unit]}", out length)
            : text.TryWrite(Culture, $"{value:0}{units[unit]}", out length);
        return AppendText(to, text[..length], width);
    }

    // Rounds as formatting does.
    private static bool Fits(double value, int width, int decimals) => decimals == 0
        ? Math.Round(value, MidpointRounding.AwayFromZero) < Math.Pow(10, width)
        : width > 2 && Math.Round(value, 1, MidpointRounding.AwayFromZero) < Math.Pow(10, width - 2);
}
