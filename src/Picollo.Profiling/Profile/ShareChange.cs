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

/// <summary>The size of a statistical sample.</summary>
/// <param name="Count">The number of samples.</param>
/// <param name="Effective">The number of samples with equal weights that have the same sampling error (L. Kish, "Survey Sampling", 1965):
/// <c>(Σw)²/Σw²</c>. It is smaller than <paramref name="Count"/> if a few long samples determine the shares.</param>
internal readonly record struct SampleSize(long Count, long Effective);

/// <summary>The effective sizes of two profiles; null if one is unknown.</summary>
internal readonly record struct SampleSizes(long? Before, long? After);

/// <summary>The change of a share of the samples in percentage points, with its 95 % confidence interval
/// (<see cref="CpuProfileMethodDifference.OwnChangeLowerPoints"/>), which is NaN if a sample size is unknown.</summary>
internal readonly record struct ShareChange(double Points, double LowerPoints, double UpperPoints)
{
    private const double Z = 1.959963984540054; // the 97.5 % quantile of the normal distribution
    private const double MaxPoints = 100;

    public bool HasInterval => !double.IsNaN(LowerPoints);

    public bool MayBeRandom => !(LowerPoints > 0 || UpperPoints < 0);

    /// <param name="part">The samples of a function, in the units of the profiles.</param>
    /// <param name="all">All samples, in the units of the profiles.</param>
    /// <param name="sizes">The sizes of the profiles.</param>
    public static ShareChange Of(SampleCounts part, SampleCounts all, SampleSizes sizes)
    {
        double points = part.PercentAfter(all) - part.PercentBefore(all);
        if (all.Before == 0 || all.After == 0)
        {
            return new(points, -MaxPoints, MaxPoints);
        }

        if (sizes is not { Before: { } n, After: { } m })
        {
            return new(points, double.NaN, double.NaN);
        }

        (double before, double after) = (Adjusted(part.Before, all.Before, n), Adjusted(part.After, all.After, m));
        double variance = (before * (1 - before) / (n + 2.0)) + (after * (1 - after) / (m + 2.0));
        (double middle, double margin) = (100 * (after - before), 100 * Z * Math.Sqrt(variance));
        return new(points, Math.Max(middle - margin, -MaxPoints), Math.Min(middle + margin, MaxPoints));
    }

    private static double Adjusted(double part, double all, double size) => ((part / all * size) + 1) / (size + 2);
}
