using Picollo.Metrics;

namespace Picollo.Cli.Stat;

/// <summary>Statistics of runs, which are a sample: they use n - 1 where a summary uses n, because a summary describes the whole population
/// of a histogram.</summary>
internal static class SampleStatistics
{
    /// <summary>The 97.5th percentile of Student's t distribution for 1 to 30 degrees of freedom (NIST/SEMATECH e-Handbook of Statistical
    /// Methods, 1.3.6.7.2).</summary>
    private static readonly double[] StudentT =
    [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ];

    private const double Rounding = 1e-9;

    /// <summary>Returns the sample standard deviation; 0 for one run.</summary>
    public static double StDev(HdrHistogramSummary runs)
    {
        double n = runs.TotalCount;
        return n > 1 ? runs.StDev * Math.Sqrt(n / (n - 1)) : 0;
    }

    /// <summary>Returns Cohen's d with the pooled sample standard deviation, √(((n₁ - 1)·s₁² + (n₂ - 1)·s₂²) / (n₁ + n₂ - 2)); NaN for one
    /// run each.</summary>
    public static double EffectSize(HdrHistogramSummary before, HdrHistogramSummary after)
    {
        double n = (double)before.TotalCount + after.TotalCount;
        return n > 2 ? before.GetEffectSize(after) * Math.Sqrt((n - 2) / n) : double.NaN;
    }

    /// <summary>Returns the relative change of the mean with its 95% confidence interval. The interval is computed for the logarithm of the
    /// ratio of the two means by the delta method, with Welch–Satterthwaite degrees of freedom.</summary>
    /// <remarks>Assumes that the means are normally distributed. Between two lines of the table, uses the t value for fewer degrees of
    /// freedom, which makes the interval wider.</remarks>
    public static Change ChangeOf(IReadOnlyList<ulong> before, IReadOnlyList<ulong> after)
    {
        (double meanBefore, double varianceBefore) = MeanAndRelativeVariance(before);
        (double meanAfter, double varianceAfter) = MeanAndRelativeVariance(after);
        double ratio = meanAfter / meanBefore;
        double variance = varianceBefore + varianceAfter;
        double freedom = variance * variance
            / ((varianceBefore * varianceBefore / (before.Count - 1)) + (varianceAfter * varianceAfter / (after.Count - 1)));
        double halfWidth = variance > 0 ? T(freedom) * Math.Sqrt(variance) : variance;
        return new Change(ratio - 1, (ratio * Math.Exp(-halfWidth)) - 1, (ratio * Math.Exp(halfWidth)) - 1);
    }

    // Returns the mean, and the variance of the mean relative to its square; NaN for one run.
    private static (double Mean, double Variance) MeanAndRelativeVariance(IReadOnlyList<ulong> values)
    {
        double mean = values.Average(value => (double)value);
        double squares = values.Sum(value => (value - mean) * (value - mean));
        return (mean, squares / (values.Count - 1) / values.Count / (mean * mean));
    }

    private static double T(double freedom) => freedom switch
    {
        < 31 => StudentT[(int)Math.Max(freedom + Rounding, 1) - 1],
        < 60 => 2.042,
        < 120 => 2.000,
        _ => 1.980,
    };
}

/// <summary>A relative change (0.1 for +10%) and the bounds of its 95% confidence interval.</summary>
internal readonly record struct Change(double Mean, double Low, double High);
