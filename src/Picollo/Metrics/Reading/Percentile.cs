namespace Picollo.Metrics;

/// <summary>The value at a percentile rank, with its bucket and counts.</summary>
/// <remarks>The bucket of rank <c>r</c> is the first one whose cumulative count is at least <c>max(1, ceil(r / 100 * TotalCount))</c>. A
/// percentile is immutable: later changes of the histogram do not affect it. In an empty histogram, every percentile has the value 0 and
/// counts of 0.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
[JsonConverter(typeof(PicolloJsonConverter))]
[ConvertedBy(typeof(PercentileJsonConverter))]
public readonly partial record struct Percentile
{
    private readonly EquivalentValueSelection _selection;

    internal Percentile(double rank, ulong targetCount, ulong runningCount, Bucket bucket, EquivalentValueSelection selection = default)
    {
        _selection = selection;
        Rank = rank + 0.0; // negative zero becomes zero, which prints without a sign
        TargetCount = targetCount;
        RunningCount = runningCount;
        Bucket = bucket;
    }

    /// <summary>The rank in percent, from 0 to 100.</summary>
    public double Rank { get; }

    /// <summary>The number of recorded values that correspond to the rank, counted from the smallest value:
    /// <c>max(1, ceil(Rank / 100 * TotalCount))</c>; 0 in an empty histogram.</summary>
    public ulong TargetCount { get; }

    /// <summary>The number of recorded values up to the end of <see cref="Bucket"/>, counted from the smallest value. It is at least
    /// <see cref="TargetCount"/> if the bucket has values.</summary>
    public ulong RunningCount { get; }

    /// <summary>The number of recorded values before <see cref="Bucket"/>.</summary>
    public ulong RunningCountBefore => RunningCount - Bucket.Count;

    /// <summary>The bucket of the rank.</summary>
    public Bucket Bucket { get; }

    /// <summary>The value at the rank, as selected by the value of <see cref="DefaultEquivalentValueSelection"/> at the time when the
    /// histogram was read.</summary>
    public ulong Value => GetValue(_selection);

    /// <summary>Returns the value at the rank.</summary>
    /// <param name="selection">The value of the bucket to return.</param>
    /// <returns>A value of the bucket, in the unit of the recorded values.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="selection"/> is not a defined selection.</exception>
    public ulong GetValue(EquivalentValueSelection selection) => selection switch
    {
        EquivalentValueSelection.Default => GetValue(DefaultEquivalentValueSelection),
        EquivalentValueSelection.Midpoint => Bucket.Midpoint,
        EquivalentValueSelection.LowerBound => Bucket.Start,
        EquivalentValueSelection.UpperBound => Bucket.End,
        EquivalentValueSelection.Interpolated => Interpolate(),
        _ => throw UndefinedSelection(nameof(selection), selection),
    };

    /// <summary>Compares the rank, the counts and the bucket with those of another percentile.</summary>
    /// <param name="other">The percentile to compare with.</param>
    /// <returns><see langword="true"/> if all are equal; otherwise, <see langword="false"/>. The selection for <see cref="Value"/> is
    /// ignored.</returns>
    public bool Equals(Percentile other) => Rank.Equals(other.Rank)
        && TargetCount == other.TargetCount && RunningCount == other.RunningCount && Bucket == other.Bucket;

    /// <summary>Returns a hash code of the rank, the counts and the bucket.</summary>
    /// <returns>The hash code.</returns>
    public override int GetHashCode() => HashCode.Combine(Rank, TargetCount, RunningCount, Bucket);

    /// <summary>Returns the percentile as culture-invariant text: <c>P{rank}={value} {bucket}</c>. The rank has up to four decimal places;
    /// a rank below 100 that would round to 100 has more.</summary>
    /// <returns>A string such as <c>P99=24,960 [83 / 609]: [24,832, 25,088) 14,190</c>.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"P{UnitText.Rank(Rank)}={Value:N0} {Bucket}");

    /// <summary>Returns the percentile of a rank. It has the default bucket in an empty histogram.</summary>
    internal static Percentile FromCounter(
        double rank, CounterAtRank found, HdrHistogramLayout layout, uint firstIndex, EquivalentValueSelection selection) => new(
        rank,
        found.TargetCount,
        found.RunningCount,
        found.TargetCount == 0 ? default : layout.BucketAt(firstIndex, found.StorageIndex, found.Count),
        selection);

    private static ArgumentOutOfRangeException UndefinedSelection(string parameter, EquivalentValueSelection selection) =>
        new(parameter, selection, "The selection must be Default, Midpoint, LowerBound, UpperBound or Interpolated.");

    /// <summary>Interpolates as if the values of the bucket were evenly distributed over its width: the first of n values is at its start,
    /// each further value is step / n higher.</summary>
    private ulong Interpolate()
    {
        ulong before = RunningCountBefore;
        if (Bucket.Count == 0 || TargetCount <= before)
        {
            return Bucket.Start;
        }

        UInt128 offset = (UInt128)(TargetCount - before - 1) * Bucket.Step / Bucket.Count;
        return Bucket.Start + (ulong)UInt128.Min(offset, Bucket.End - Bucket.Start);
    }
}

/// <summary>Selects the value that represents a bucket.</summary>
public enum EquivalentValueSelection
{
    /// <summary>The selection of the process: <see cref="Midpoint"/>, unless the application has changed
    /// <see cref="Percentile.DefaultEquivalentValueSelection"/>.</summary>
    Default = 0,

    /// <summary>The middle of the bucket, <c>Start + Step / 2</c>. It has the relative error of the histogram.</summary>
    Midpoint = 1,

    /// <summary>The smallest value of the bucket, <c>Start</c>.</summary>
    LowerBound = 2,

    /// <summary>The largest value of the bucket, <c>Start + Step - 1</c>, which other HdrHistogram libraries report.</summary>
    UpperBound = 3,

    /// <summary>The value at the rank, if the bucket's values are evenly distributed over its width:
    /// <c>Start + Step * (TargetCount - RunningCountBefore - 1) / Count</c>, rounded down.</summary>
    Interpolated = 4,
}
