namespace Picollo.Cli.Top;

/// <summary>Rows in the order of the list: by a number, and for equal numbers the smallest ID first, so that the list does not jump. Reuses
/// its memory.</summary>
internal sealed class TopList
{
    /// <summary>Below all: unknown numbers are last in descending order.</summary>
    private const double Unknown = -1;

    private readonly List<(double Key, long Id, int Index)> _order = [];

    /// <summary>The rows that were selected last.</summary>
    public List<TopRow> Rows { get; } = [];

    /// <summary>The rows that the settings list, in their order.</summary>
    /// <param name="commandOf">What the last column shows of a row.</param>
    public List<TopRow> Select(List<TopRow> all, TopSettings settings, Func<TopRow, string> commandOf)
    {
        _order.Clear();
        for (int i = 0; i < all.Count; i++)
        {
            if (settings.Lists(all[i], commandOf))
            {
                double number = NumberOf(all[i], settings.Sort);
                _order.Add((settings.IsReversed ? number : -number, all[i].Id, i));
            }
        }

        _order.Sort();
        Rows.Clear();
        foreach ((_, _, int index) in _order)
        {
            Rows.Add(all[index]);
        }

        return Rows;
    }

    private static double NumberOf(in TopRow row, TopSort sort) => sort switch
    {
        TopSort.Memory => row.Process.ResidentBytes ?? Unknown,
        TopSort.Time => row.Usage.TotalNanoseconds,
        TopSort.Pid => row.Id,
        TopSort.Wait => row.WaitShare ?? Unknown,
        _ => row.Share ?? Unknown,
    };
}
