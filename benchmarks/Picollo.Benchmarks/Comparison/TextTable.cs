using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>A Markdown table with aligned columns, so that it is also readable as plain text.</summary>
internal class TextTable(params string[] header)
{
    private readonly List<string[]> _lines = [header];

    /// <summary>Adds a row. Missing cells at its end are empty.</summary>
    public void Add(params string[] cells) => _lines.Add([.. cells, .. Enumerable.Repeat(string.Empty, header.Length - cells.Length)]);

    public void Print(TextWriter output)
    {
        int[] widths = [.. Enumerable.Range(0, header.Length).Select(column => _lines.Max(line => line[column].Length))];
        output.WriteLine();
        for (int i = 0; i < _lines.Count; i++)
        {
            output.WriteLine($"| {string.Join(" | ", _lines[i].Select((cell, column) => cell.PadRight(widths[column])))} |");
            if (i == 0)
            {
                output.WriteLine($"| {string.Join(" | ", widths.Select(width => new string('-', width)))} |");
            }
        }
    }
}

/// <summary>A table of numbers, usually byte counts, and their limits.</summary>
internal sealed class FactTable(string heading, string unit = "bytes") : TextTable(heading, unit, "target", "verdict")
{
    public void Add(string name, double bytes, double? limit = null) => Add(
        name,
        Number(bytes),
        limit?.ToString("<= #,0", CultureInfo.InvariantCulture) ?? string.Empty,
        limit is null ? string.Empty : bytes <= limit ? "ok" : $"MISSED by {Number(bytes - limit.Value)}");

    private static string Number(double number) => number.ToString("#,0.###", CultureInfo.InvariantCulture);
}
