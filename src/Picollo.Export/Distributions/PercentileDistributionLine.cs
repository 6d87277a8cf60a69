namespace Picollo.Export;

/// <summary>A line of a percentile distribution.</summary>
/// <param name="Value">The upper bound of the bucket in which the rank falls, in the distribution's unit.</param>
/// <param name="Rank">The share of the values, 0 to 1.</param>
/// <param name="TotalCount">How many values there are up to and including that bucket.</param>
public readonly record struct PercentileDistributionLine(double Value, double Rank, ulong TotalCount);
