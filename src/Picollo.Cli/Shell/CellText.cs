namespace Picollo.Cli.Shell;

/// <summary>Measures text in terminal cells: an East Asian character or an emoji takes two cells, a combining character none.</summary>
internal static class CellText
{
    /// <summary>Ranges of characters that take two cells (East_Asian_Width W and F in Unicode's EastAsianWidth.txt, merged to
    /// blocks).</summary>
    private static readonly (int First, int Last)[] Wide =
    [
        (0x1100, 0x115F), (0x231A, 0x231B), (0x2329, 0x232A), (0x23E9, 0x23EC), (0x23F0, 0x23F0), (0x23F3, 0x23F3), (0x25FD, 0x25FE),
        (0x2614, 0x2615), (0x2648, 0x2653), (0x267F, 0x267F), (0x2693, 0x2693), (0x26A1, 0x26A1), (0x26AA, 0x26AB), (0x26BD, 0x26BE),
        (0x26C4, 0x26C5), (0x26CE, 0x26CE), (0x26D4, 0x26D4), (0x26EA, 0x26EA), (0x26F2, 0x26F3), (0x26F5, 0x26F5), (0x26FA, 0x26FA),
        (0x26FD, 0x26FD), (0x2705, 0x2705), (0x270A, 0x270B), (0x2728, 0x2728), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755),
        (0x2757, 0x2757), (0x2795, 0x2797), (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55),
        (0x2E80, 0x303E), (0x3041, 0x4DBF), (0x4E00, 0xA4CF), (0xA960, 0xA97F), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE10, 0xFE19),
        (0xFE30, 0xFE6F), (0xFF00, 0xFF60), (0xFFE0, 0xFFE6), (0x16FE0, 0x18DFF), (0x1AFF0, 0x1B2FF), (0x1F004, 0x1F004),
        (0x1F0CF, 0x1F0CF), (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F200, 0x1F265), (0x1F300, 0x1F64F), (0x1F680, 0x1F6FF),
        (0x1F7E0, 0x1F7F0), (0x1F900, 0x1F9FF), (0x1FA70, 0x1FAFF), (0x20000, 0x3FFFD),
    ];

    /// <param name="text">The text, without control characters.</param>
    public static int WidthOf(ReadOnlySpan<char> text)
    {
        if (!text.ContainsAnyExceptInRange(' ', '~'))
        {
            return text.Length;
        }

        int width = 0;
        foreach (Rune rune in text.EnumerateRunes())
        {
            width += WidthOf(rune);
        }

        return width;
    }

    /// <summary>Appends a text. If it does not fit, truncates it and appends a <c>+</c>.</summary>
    /// <param name="text">The text, without control characters.</param>
    /// <param name="cells">The maximum number of cells, 0 or more.</param>
    public static int AppendFitting(StringBuilder to, ReadOnlySpan<char> text, int cells)
    {
        int width = WidthOf(text);
        if (width <= cells)
        {
            to.Append(text);
            return width;
        }

        if (cells == 0)
        {
            return 0;
        }

        width = 0;
        int length = 0;
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (width + WidthOf(rune) > cells - 1)
            {
                break;
            }

            width += WidthOf(rune);
            length += rune.Utf16SequenceLength;
        }

        to.Append(text[..length]).Append('+');
        return width + 1;
    }

    /// <summary>Breaks a text into lines of limited width, at any character.</summary>
    /// <param name="text">The text, without control characters.</param>
    /// <param name="cells">The maximum number of cells per line, 2 or more because a character may take two.</param>
    public static List<string> Fold(string text, int cells)
    {
        List<string> lines = [];
        StringBuilder line = new();
        int width = 0;
        foreach (Rune rune in text.EnumerateRunes())
        {
            int more = WidthOf(rune);
            if (width + more > cells)
            {
                lines.Add(line.ToString());
                line.Clear();
                width = 0;
            }

            line.Append(rune.ToString());
            width += more;
        }

        lines.Add(line.ToString());
        return lines;
    }

    private static int WidthOf(Rune rune)
    {
        if (rune.Value < 0x300)
        {
            return 1;
        }

        if (Rune.GetUnicodeCategory(rune) is UnicodeCategory.NonSpacingMark or UnicodeCategory.EnclosingMark or UnicodeCategory.Format
            || rune.Value is >= 0x1160 and <= 0x11FF) // Hangul vowels and finals, which join the previous character
        {
            return 0;
        }

        foreach ((int first, int last) in Wide)
        {
            if (rune.Value <= last)
            {
                return rune.Value >= first ? 2 : 1;
            }
        }

        return 1;
    }
}
