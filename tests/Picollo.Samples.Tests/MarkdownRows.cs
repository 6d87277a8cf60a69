using System.Globalization;

namespace Picollo.Samples.Tests;

/// <summary>The cells of a printed Markdown table.</summary>
internal static class MarkdownRows
{
    /// <summary>The rows among the lines, heading and rule included, as trimmed cells.</summary>
    public static string[][] Of(IEnumerable<string> lines) =>
        [.. lines.Where(line => line.StartsWith('|')).Select(line => line.Trim('|').Split('|', StringSplitOptions.TrimEntries))];

    /// <summary>The row whose first cell is the given one.</summary>
    public static string[] Row(this string[][] rows, string firstCell) => rows.Single(row => row[0] == firstCell);

    public static double ToNumber(this string cell) => double.Parse(cell, NumberStyles.Number, CultureInfo.InvariantCulture);
}
