using System.Globalization;

namespace Picollo.Samples.Tests;

/// <summary>Reads the cells of a printed Markdown table.</summary>
internal static class MarkdownRows
{
    /// <summary>Returns the table rows among the lines, including the header and the rule, as trimmed cells.</summary>
    public static string[][] Of(IEnumerable<string> lines) =>
        [.. lines.Where(line => line.StartsWith('|')).Select(line => line.Trim('|').Split('|', StringSplitOptions.TrimEntries))];

    /// <summary>Returns the row with the given first cell.</summary>
    public static string[] Row(this string[][] rows, string firstCell) => rows.Single(row => row[0] == firstCell);

    public static double ToNumber(this string cell) => double.Parse(cell, NumberStyles.Number, CultureInfo.InvariantCulture);
}
