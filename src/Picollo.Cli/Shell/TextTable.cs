namespace Picollo.Cli.Shell;

/// <summary>A text table. Each column is as wide as its widest cell, and two spaces separate columns. A long name in the first column has
/// its own line.</summary>
/// <param name="alignments">One letter for each column: l for left, r for right.</param>
internal sealed class TextTable(string alignments)
{
    /// <summary>The length of "L1-dcache-load-misses", which leaves room for six columns of eight characters within 80.</summary>
    private const int MaxNameWidth = 21;

    private readonly List<string[]> _rows = [];

    /// <summary>Adds a row, or an empty line if there are no cells.</summary>
    public void Add(params string[] cells) => _rows.Add(cells);

    public void Write(TextWriter writer)
    {
        int[] widths =
        [
            .. alignments.Select((_, column) => _rows.Max(row => row.Length > column && !HasOwnLine(row, column) ? row[column].Length : 0)),
        ];
        foreach (string[] row in _rows)
        {
            StringBuilder line = new();
            for (int column = 0; column < row.Length; column++)
            {
                string cell = row[column];
                if (HasOwnLine(row, column))
                {
                    writer.WriteLine(cell);
                    cell = "";
                }

                line.Append(column > 0 ? "  " : "")
                    .Append(alignments[column] == 'l' ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column]));
            }

            writer.WriteLine(line.ToString().TrimEnd());
        }
    }

    private static bool HasOwnLine(string[] row, int column) => column == 0 && row[0].Length > MaxNameWidth;
}
