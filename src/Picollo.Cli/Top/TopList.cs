namespace Picollo.Cli.Top;

/// <summary>Selects and sorts the rows of the list. Rows with equal keys are sorted by ID, so that they do not change places. Reuses its
/// memory.</summary>
internal sealed class TopList
{
    /// <summary>The key of unknown numbers, which are last in descending order.</summary>
    private const double Unknown = -1;

    private readonly List<(double Key, long Id, int Index)> _order = [];

    public List<TopRow> Rows { get; } = [];

    public List<TopRow> Select(List<TopRow> all, TopSettings settings, Func<TopRow, string> commandOf)
    {
        _order.Clear();
        for (int i = 0; i < all.Count; i++)
        {
            if (settings.Includes(all[i], commandOf))
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
