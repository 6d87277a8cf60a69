namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Response times in milliseconds, at the percentiles that <c>ab</c> prints in the document.</summary>
public sealed record Latencies(double P50, double P66, double P75, double P80, double P90, double P95, double P98, double P99, double Max)
{
    /// <summary>The percentile ranks of <see cref="Values"/>, in the same order.</summary>
    public static IReadOnlyList<double> Percentiles { get; } = [50, 66, 75, 80, 90, 95, 98, 99, 100];

    /// <summary>The values for <see cref="Percentiles"/>, in milliseconds.</summary>
    public IReadOnlyList<double> Values => [P50, P66, P75, P80, P90, P95, P98, P99, Max];

    /// <summary>Creates latencies from a list.</summary>
    /// <param name="values">A value for each of <see cref="Percentiles"/>, in milliseconds.</param>
    public static Latencies Of(IReadOnlyList<double> values) =>
        new(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8]);
}
