using System.Diagnostics;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <summary>The value at a percentile rank, with the bucket it was found in.</summary>
/// <remarks>The bucket of rank <c>r</c> is the first whose cumulative count reaches <c>max(1, ceil(r / 100 * TotalCount))</c>. An immutable
/// copy of what was read. In an empty histogram every percentile is 0 with counts of 0.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
[JsonConverter(typeof(PicolloJsonConverter))]
public readonly record struct Percentile
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

    /// <summary>Which value of a bucket <see cref="Value"/> returns, for all reads in the process that start after the selection is set;
    /// <see cref="EquivalentValueSelection.Midpoint"/> unless set, the only selection for which the promised relative error
    /// holds.</summary>
    /// <remarks>For applications, which set it once at start-up, never for libraries: a library would change the values that all other
    /// code of the process reads. A library calls <see cref="GetValue"/> instead. Percentiles and summaries keep the selection of their
    /// read; a summary that is filled again takes the new one. Thread-safe.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a defined selection.</exception>
    public static EquivalentValueSelection DefaultEquivalentValueSelection
    {
        get;
        set => field = value == default ? EquivalentValueSelection.Midpoint
            : Enum.IsDefined(value) ? value
            : throw UndefinedSelection(nameof(value), value);
    } = EquivalentValueSelection.Midpoint;

    /// <summary>The rank in percent, 0 to 100.</summary>
    public double Rank { get; }

    /// <summary>The number of recorded values that the rank stands for, counted from the smallest value:
    /// <c>max(1, ceil(Rank / 100 * TotalCount))</c>, and 0 in an empty histogram.</summary>
    public ulong TargetCount { get; }

    /// <summary>The number of recorded values up to the end of <see cref="Bucket"/>, counted from the smallest value: at least
    /// <see cref="TargetCount"/> where the bucket has values.</summary>
    public ulong RunningCount { get; }

    /// <summary>The number of recorded values before <see cref="Bucket"/>.</summary>
    public ulong RunningCountBefore => RunningCount - Bucket.Count;

    /// <summary>The bucket in which the rank falls.</summary>
    public Bucket Bucket { get; }

    /// <summary>The value at the rank, chosen from the bucket by what <see cref="DefaultEquivalentValueSelection"/> was when the
    /// histogram was read.</summary>
    public ulong Value => GetValue(_selection);

    /// <summary>The value at the rank.</summary>
    /// <param name="selection">The value of the bucket to return; the default value, 0, selects
    /// <see cref="DefaultEquivalentValueSelection"/>.</param>
    /// <returns>A value of the bucket, in the unit that was recorded.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="selection"/> is not a defined selection.</exception>
    public ulong GetValue(EquivalentValueSelection selection) => selection switch
    {
        0 => GetValue(DefaultEquivalentValueSelection),
        EquivalentValueSelection.Midpoint => Bucket.MidPoint,
        EquivalentValueSelection.LowerBound => Bucket.Start,
        EquivalentValueSelection.UpperBound => Bucket.End,
        EquivalentValueSelection.Interpolated => Interpolate(),
        _ => throw UndefinedSelection(nameof(selection), selection),
    };

    /// <summary>Compares everything that was read: rank, counts and bucket.</summary>
    /// <param name="other">The percentile to compare with.</param>
    /// <returns>Whether all are equal. The selection behind <see cref="Value"/> does not matter.</returns>
    public bool Equals(Percentile other) => Rank.Equals(other.Rank)
        && TargetCount == other.TargetCount && RunningCount == other.RunningCount && Bucket == other.Bucket;

    /// <summary>A hash code of what <see cref="Equals(Percentile)"/> compares.</summary>
    /// <returns>The hash code.</returns>
    public override int GetHashCode() => HashCode.Combine(Rank, TargetCount, RunningCount, Bucket);

    /// <summary>The percentile as text: <c>P{rank}={value} {bucket}</c>, culture-invariant. The rank has up to four
    /// decimal places; one below 100 that rounds to 100 has as many as it needs.</summary>
    /// <returns>For example <c>P99=24,960 [83 / 609]: [24,832, 25,088) 14,190</c>.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"P{HdrHistogramSummary.Rank(Rank)}={Value:N0} {Bucket}");

    private static ArgumentOutOfRangeException UndefinedSelection(string parameter, EquivalentValueSelection selection) =>
        new(parameter, selection, "The selection must be Midpoint, LowerBound, UpperBound or Interpolated.");

    /// <summary>The values of the bucket, as if they were spread evenly over its width: the first of n is at its start, the next a
    /// step / n further.</summary>
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

/// <summary>The value that represents a bucket. The default value, 0, selects
/// <see cref="Percentile.DefaultEquivalentValueSelection"/>.</summary>
public enum EquivalentValueSelection
{
    /// <summary>The middle of the bucket, <c>Start + Step / 2</c>; the promised relative error holds for it.</summary>
    Midpoint = 1,

    /// <summary>The smallest value of the bucket, <c>Start</c>.</summary>
    LowerBound = 2,

    /// <summary>The largest value of the bucket, <c>Start + Step - 1</c>, as the HdrHistogram family reports.</summary>
    UpperBound = 3,

    /// <summary>The value at the rank, assuming that the bucket's values are evenly spread over it:
    /// <c>Start + Step * (TargetCount - RunningCountBefore - 1) / Count</c>, rounded down.</summary>
    Interpolated = 4,
}
