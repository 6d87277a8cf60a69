using System.Text;

namespace Picollo.Metrics;

/// <summary>A Markdown table whose columns are padded to their widest cell, so that it is also readable as plain text.</summary>
/// <param name="alignments">One letter per column: l for left, r for right.</param>
/// <param name="headings">One heading per column.</param>
internal sealed class MarkdownTable(string alignments, string[] headings)
{
    private readonly List<string[]> _rows = [headings];

    public void Add(params string[] cells) => _rows.Add(cells);

    /// <summary>Returns the heading and the table, with a line break at the end.</summary>
    public string ToString(string title)
    {
        int[] widths = [.. alignments.Select((_, column) => _rows.Max(row => row[column].Length))];
        StringBuilder text = new();
        text.Append("##### ").Append(title).AppendLine();
        AppendRow(text, _rows[0], widths);
        AppendRow(text, [.. widths.Select((width, column) => Rule(alignments[column], width))], widths);
        foreach (string[] row in _rows.Skip(1))
        {
            AppendRow(text, row, widths);
        }

        return text.ToString();
    }

    private static string Rule(char alignment, int width)
    {
        string dashes = new('-', Math.Max(width - 1, 1));
        return alignment == 'l' ? ":" + dashes : dashes + ":";
    }

    private void AppendRow(StringBuilder text, string[] cells, int[] widths)
    {
        text.Append('|');
        for (int column = 0; column < cells.Length; column++)
        {
            string cell = alignments[column] == 'l' ? cells[column].PadRight(widths[column]) : cells[column].PadLeft(widths[column]);
            text.Append(' ').Append(cell).Append(" |");
        }

        text.AppendLine();
    }
}
