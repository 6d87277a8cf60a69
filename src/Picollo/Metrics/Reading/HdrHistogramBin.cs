namespace Picollo.Metrics;

/// <summary>A step of <see cref="ReadOnlyHdrHistogram.GetLinearBins"/> or <see cref="ReadOnlyHdrHistogram.GetLogarithmicBins"/>, with the
/// count of its values. It starts after the previous step. Immutable.</summary>
public readonly record struct HdrHistogramBin
{
    internal HdrHistogramBin(ulong end, ulong count) => (End, Count) = (end, count);

    /// <summary>The largest value of the step, inclusive, in the unit of the recorded values.</summary>
    public ulong End { get; }

    /// <summary>The number of recorded values in the step.</summary>
    public ulong Count { get; }
}
