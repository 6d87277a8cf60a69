namespace Picollo.Export.Plots;

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
