namespace Picollo.Metrics;

/// <summary>A step of <see cref="ReadOnlyHdrHistogram.GetLinearBuckets"/> or <see cref="ReadOnlyHdrHistogram.GetLogarithmicBuckets"/>, with
/// the count of its values. It starts after the previous step. Immutable.</summary>
/// <param name="UpperBound">The largest value of the step, inclusive, in the unit of the recorded values.</param>
/// <param name="Count">The number of recorded values in the step.</param>
public readonly record struct HdrHistogramBin(ulong UpperBound, ulong Count);
