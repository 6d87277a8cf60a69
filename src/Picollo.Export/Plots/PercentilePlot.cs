namespace Picollo.Export.Plots;

/// <summary>Draws the percentile distribution: the value at each rank. The ranks are stretched towards 100, as in the plots of the
/// HdrHistogram libraries.</summary>
internal static class PercentilePlot
{
    public const string RankLabel = "percentile, %";

    private const double Height = 210;

    /// <summary>The ratio of the largest value to a median above which the axis is logarithmic, because a linear axis would hide the
    /// median.</summary>
    private const double LinearRange = 1000;

    public static HdrHistogramPlot Make(IReadOnlyList<PlotSeries> series, PlotOptions options) =>
        HdrHistogramPlot.Compose("percentile distribution", series, options, MakeChart(series, options));

    public static StepChart MakeChart(IReadOnlyList<PlotSeries> series, PlotOptions options)
    {
        PlotUnit own = new(options.Unit);
        double nines = 1;
        double largest = 0;
        double smallest = double.PositiveInfinity;
        double smallestAboveZero = double.PositiveInfinity;
        double medianAboveZero = double.PositiveInfinity;
        PlotLines lines = new();
        List<(PlotSeries Series, PercentileCurve Curve)> named = [];
        foreach (PlotSeries line in series)
        {
            PercentileCurve curve = new(line.ToHistogram());
            double[] levels = Levels(curve.Nines, i => curve.ColumnAt(i));
            lines.Add(line, levels, isFilled: false);
            if (curve.Total > 0)
            {
                nines = Math.Max(nines, curve.Nines);
                largest = Math.Max(largest, curve.Largest);
                smallest = Math.Min(smallest, curve.Smallest);
                smallestAboveZero = Math.Min(smallestAboveZero, levels.FirstOrDefault(level => level > 0, double.PositiveInfinity));
                medianAboveZero = Math.Min(medianAboveZero, curve.Median > 0 ? curve.Median : double.PositiveInfinity);
                if (named.Count < PlotPalette.Count)
                {
                    named.Add((line, curve));
                }
            }
        }

        (PlotUnit unit, PlotAxis axis, string label) = ValueAxis(own, smallest, smallestAboveZero, medianAboveZero, largest);
        lines.Divide(unit.Ratio);
        return new()
        {
            Height = Height,
            X = RankAxis(nines),
            Y = axis,
            XLabel = RankLabel,
            YLabel = label,
            Edges = Edges,
            Lines = lines,
            Strips = StripsOf(nines, named.Count > 0 ? Values : null),
        };

        string Values(int rank) =>
            string.Concat(named.Select(line => $"\n{line.Series.ShortName}: {own.Format(line.Curve.DisplayedAt(rank))}"));
    }

    /// <summary>Returns the axis of recorded values with its unit and label.</summary>
    public static (PlotUnit Unit, PlotAxis Axis, string Label) ValueAxis(
        PlotUnit own, double smallest, double smallestAboveZero, double medianAboveZero, double largest)
    {
        if (largest > medianAboveZero * LinearRange)
        {
            PlotAxis logarithmic = LogarithmicAxis(smallestAboveZero / own.Ratio, largest / own.Ratio, own.Tick);
            return (own, logarithmic, own.LogarithmicAxisLabel);
        }

        (PlotUnit unit, PlotAxis axis) = own.Scale(largest, unit => LinearAxis(smallest / unit.Ratio, largest / unit.Ratio));
        return (unit, axis, unit.AxisLabel);
    }

    /// <summary>The edges of the columns, in nines.</summary>
    public static double[] Edges { get; } =
        [.. Enumerable.Range(0, (PercentileCurve.MaxNines * PercentileCurve.ColumnsPerNine) + 1)
            .Select(i => i / (double)PercentileCurve.ColumnsPerNine)];

    /// <summary>Returns an axis with a tick at each nine, and at the median if there is enough space.</summary>
    public static PlotAxis RankAxis(double nines)
    {
        List<PlotTick> ticks = [new(0, "0")];
        if (nines < 6)
        {
            ticks.Add(new(PercentileCurve.NinesOf(50), "50"));
        }

        decimal rest = 100;
        for (int i = 1; i <= nines; i++)
        {
            rest /= 10;
            ticks.Add(new(i, PlotNumber.Rank((double)(100 - rest))));
        }

        return new(0, nines, IsLogarithmic: false, ticks);
    }

    /// <summary>Returns a strip for each rank of <see cref="PercentileCurve.DisplayedRanks"/>. Strips meet halfway between ranks.</summary>
    public static IReadOnlyList<PlotStrip> StripsOf(double nines, Func<int, string>? format)
    {
        if (format is null)
        {
            return [];
        }

        List<PlotStrip> strips = [];
        double from = 0;
        IReadOnlyList<double> ranks = PercentileCurve.DisplayedRanks;
        for (int i = 0; i < ranks.Count && from < nines; i++)
        {
            double to = i + 1 < ranks.Count
                ? (PercentileCurve.NinesOf(ranks[i]) + PercentileCurve.NinesOf(ranks[i + 1])) / 2
                : nines;
            strips.Add(new(from, Math.Min(to, nines), $"{PlotNumber.Rank(ranks[i])} %{format(i)}"));
            from = to;
        }

        return strips;
    }

    /// <summary>Returns a level for each column; NaN after the last value.</summary>
    public static double[] Levels(double nines, Func<int, double> at) =>
        [.. Enumerable.Range(0, Edges.Length - 1).Select(i => Edges[i] < nines ? at(i) : double.NaN)];

    // The axis starts at 0 if the values then cover at least half of the height.
    private static PlotAxis LinearAxis(double smallest, double largest) =>
        PlotAxis.Linear(largest - smallest < largest / 2 && largest > smallest ? smallest : 0, largest, 5);

    // The value 0 is drawn at the lower end.
    private static PlotAxis LogarithmicAxis(double smallest, double largest, Func<double, string> label) => PlotAxis.Logarithmic(
        Math.Pow(10, Math.Floor(Math.Log10(smallest))), Math.Pow(10, Math.Ceiling(Math.Log10(largest))), 8, label);
}

/// <summary>The values of a histogram at ranks, read once: for the columns of a plot and for its strips.</summary>
internal sealed class PercentileCurve
{
    /// <summary>The maximum number of nines. Ranks are drawn up to 99.99999999 %, because doubles distinguish higher ranks less and
    /// less.</summary>
    public const int MaxNines = 10;

    /// <summary>The number of columns per nine. It exceeds the resolution of a plot of two nines, in which each nine is widest.</summary>
    public const int ColumnsPerNine = 360;

    // The ranks within each nine: 0, 10 … 90, which include the common ones, and 75 and 85 in the widest gaps.
    private static readonly decimal[] Rests = [10, 9, 8, 7, 6, 5, 4, 3, 2.5m, 2, 1.5m];

    private static readonly double[] ColumnRanks = [.. Enumerable.Range(1, MaxNines * ColumnsPerNine).Select(RankOfEdge)];
    private static readonly double[] AllRanks = [.. ColumnRanks, .. EnumerateDisplayedRanks(), 100];

    private readonly ulong[] _values;

    public PercentileCurve(ReadOnlyHdrHistogram histogram)
    {
        Percentile[] percentiles = new Percentile[AllRanks.Length];
        histogram.GetPercentiles(AllRanks, percentiles);
        Total = percentiles[^1].RunningCount;
        _values = [.. percentiles.Select(percentile => percentile.Value)];
    }

    /// <summary>The ranks that tooltips show, up to the last that is drawn, in percent.</summary>
    public static IReadOnlyList<double> DisplayedRanks { get; } = [.. EnumerateDisplayedRanks()];

    public ulong Total { get; }

    public ulong Smallest => DisplayedAt(0);

    public ulong Largest => _values[^1];

    public ulong Median => DisplayedAt(5);

    /// <summary>The number of nines for which there are values, at least one. The largest of n values is at its mid-rank, 1 −
    /// 1/2n.</summary>
    public double Nines => Total == 0 ? 0 : Math.Clamp(Math.Log10(2.0 * Total), 1, MaxNines);

    /// <summary>Returns the value at the end of a column. It applies to the whole column, because a rank belongs to the bucket that reaches
    /// it.</summary>
    public ulong ColumnAt(int column) => _values[column];

    /// <summary>Returns the value at a rank of <see cref="DisplayedRanks"/>.</summary>
    public ulong DisplayedAt(int rank) => _values[ColumnRanks.Length + rank];

    /// <summary>Returns the nines of a rank in percent, log₁₀ of 1/(1−p): 1 for 90, 2 for 99.</summary>
    public static double NinesOf(double rank) => 2 - Math.Log10(100 - rank);

    // Whole nines are computed exactly, so that 99.9 is the same double as the literal.
    private static double RankOfEdge(int edge) => edge % ColumnsPerNine == 0
        ? (double)(100 - (100 * Power(edge / ColumnsPerNine)))
        : 100 * (1 - Math.Pow(10, -(double)edge / ColumnsPerNine));

    private static IEnumerable<double> EnumerateDisplayedRanks() =>
        from nines in Enumerable.Range(0, MaxNines)
        from rest in Rests
        select (double)(100 - (10 * rest * Power(nines)));

    private static decimal Power(int nines) => Enumerable.Repeat(0.1m, nines).Aggregate(1m, (product, tenth) => product * tenth);
}
