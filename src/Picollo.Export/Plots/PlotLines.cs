namespace Picollo.Export.Plots;

/// <summary>
/// Sorts the series of a plot into lines of their own, as many as there are looks, and a band for the rest, so that the size of a
/// plot is bounded whatever the number of its series.
/// </summary>
internal sealed class PlotLines
{
    private readonly List<PlotLine> _lines = [];
    private double[] _low = [];
    private double[] _high = [];
    private int _others;

    public IReadOnlyList<PlotLine> Lines => _lines;

    /// <summary>The rest; null where every series has a line.</summary>
    public PlotBand? Band => _others == 0 ? null : new(_others, _low, _high);

    public void Add(string name, double[] levels, bool isFilled)
    {
        if (_lines.Count < PlotPalette.Count)
        {
            _lines.Add(new(name, levels, _lines.Count, isFilled));
            return;
        }

        if (_others++ == 0)
        {
            (_low, _high) = ([.. levels], [.. levels]);
            return;
        }

        for (int i = 0; i < levels.Length; i++)
        {
            // MinNumber and MaxNumber take the other one where one is NaN.
            _low[i] = double.MinNumber(_low[i], levels[i]);
            _high[i] = double.MaxNumber(_high[i], levels[i]);
        }
    }
}
