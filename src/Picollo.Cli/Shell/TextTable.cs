using System.Text;

namespace Picollo.Cli.Shell;

/// <summary>Rows of cells in columns as wide as their widest cell, with two blanks between. A long name in the first column is on its own
/// line.</summary>
/// <param name="alignments">A letter per column: l for left, r for right.</param>
internal sealed class TextTable(string alignments)
{
    /// <summary>"L1-dcache-load-misses": with six columns of eight that makes 80.</summary>
    private const int LongestName = 21;

    private readonly List<string[]> _rows = [];

    /// <summary>Adds a row; without cells, an empty line.</summary>
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

    private static bool HasOwnLine(string[] row, int column) => column == 0 && row[0].Length > LongestName;
}
