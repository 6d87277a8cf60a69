namespace Picollo.Benchmarks.Comparison;

/// <summary>What the repetitions of one contender came to, in nanoseconds an operation.</summary>
internal readonly record struct Figures(double Median, double Minimum)
{
    public static Figures Of(ReadOnlySpan<double> samples)
    {
        double[] sorted = samples.ToArray();
        Array.Sort(sorted);
        int middle = sorted.Length / 2;
        double median = sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Figures(median, sorted[0]);
    }
}
