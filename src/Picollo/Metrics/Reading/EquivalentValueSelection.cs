namespace Picollo.Metrics;

/// <summary>Which value stands for all the values that a bucket cannot tell apart.</summary>
public enum EquivalentValueSelection
{
    /// <summary>The middle of the bucket, <c>Start + Step / 2</c>; the promised relative error holds for it.</summary>
    Midpoint = 0,

    /// <summary>The smallest value of the bucket, <c>Start</c>.</summary>
    LowerBound,

    /// <summary>The largest value of the bucket, <c>Start + Step - 1</c>, as the HdrHistogram family reports.</summary>
    UpperBound,
}
