namespace Picollo.Profiling;

/// <summary>The numbers of samples before and after a change. A single profile has only the number before.</summary>
internal readonly record struct SampleCounts(long Before, long After)
{
    public static SampleCounts operator +(SampleCounts left, SampleCounts right) =>
        new(left.Before + right.Before, left.After + right.After);

    public static SampleCounts operator -(SampleCounts left, SampleCounts right) =>
        new(left.Before - right.Before, left.After - right.After);

    public double PercentBefore(SampleCounts all) => Percent(Before, all.Before);

    public double PercentAfter(SampleCounts all) => Percent(After, all.After);

    private static double Percent(long part, long whole) => whole == 0 ? 0 : 100.0 * part / whole;
}

/// <summary>The change of a share of the samples in percentage points, with its 95 % confidence interval
/// (<see cref="CpuProfileMethodDifference.OwnChangeLowerPoints"/>).</summary>
internal readonly record struct ShareChange(double Points, double LowerPoints, double UpperPoints)
{
    private const double Z = 1.959963984540054; // the 97.5 % quantile of the normal distribution
    private const double MaxPoints = 100;

    public bool MayBeRandom => LowerPoints <= 0 && UpperPoints >= 0;

    public static ShareChange Of(SampleCounts part, SampleCounts all)
    {
        double points = part.PercentAfter(all) - part.PercentBefore(all);
        if (all.Before == 0 || all.After == 0)
        {
            return new(points, -MaxPoints, MaxPoints);
        }

        (double before, double after) = ((part.Before + 1.0) / (all.Before + 2.0), (part.After + 1.0) / (all.After + 2.0));
        double variance = (before * (1 - before) / (all.Before + 2.0)) + (after * (1 - after) / (all.After + 2.0));
        (double middle, double margin) = (100 * (after - before), 100 * Z * Math.Sqrt(variance));
        return new(points, Math.Max(middle - margin, -MaxPoints), Math.Min(middle + margin, MaxPoints));
    }
}
