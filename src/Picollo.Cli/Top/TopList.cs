namespace Picollo.Cli.Top;

/// <summary>Rows as they are listed. Uses its memory again.</summary>
internal sealed class TopList
{
    private readonly List<TopOrder> _order = [];

    /// <summary>The last that were selected.</summary>
    public List<TopRow> Rows { get; } = [];

    /// <summary>Those that the settings list, in their order.</summary>
    public List<TopRow> Select(List<TopRow> all, TopSettings settings)
    {
        _order.Clear();
        for (int i = 0; i < all.Count; i++)
        {
            if (settings.Lists(all[i]))
            {
                _order.Add(TopOrder.Of(all[i], i, settings));
            }
        }

        _order.Sort();
        Rows.Clear();
        foreach (TopOrder each in _order)
        {
            Rows.Add(all[each.Index]);
        }

        return Rows;
    }
}
