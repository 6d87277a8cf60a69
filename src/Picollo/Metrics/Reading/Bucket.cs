using System.Diagnostics;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <summary>A bucket of a histogram: the values from <see cref="Start"/> (inclusive) to <c>Start + Step</c> (exclusive), and how many were
/// recorded.</summary>
/// <remarks>An immutable copy of what was read; it does not follow the histogram. The default value is an empty bucket of
/// no width at zero.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
[JsonConverter(typeof(PicolloJsonConverter))]
public readonly record struct Bucket
{
    /// <summary>The storage index of values outside the histogram's range.</summary>
    internal const int OutOfRangeIndex = -1;

    private readonly uint _index; // in the layout, from its origin

    internal Bucket(HdrLayout layout, uint index, ulong count, int storageIndex) =>
        (Layout, _index, Count, StorageIndex) = (layout, index, count, storageIndex);

    /// <summary>The smallest value that belongs to the bucket.</summary>
    public ulong Start => Layout.StartOf(_index);

    /// <summary>The largest value that belongs to the bucket, <c>Start + Step - 1</c>.</summary>
    public ulong End => Step == 0 ? Start : Start + (Step - 1);

    /// <summary>The width of the bucket, a power of two; 0 for the default value.</summary>
    public ulong Step => Layout == default ? 0 : 1UL << Layout.StepScaleOf(_index);

    /// <summary>The middle of the bucket, <c>Start + Step / 2</c>.</summary>
    public ulong MidPoint => Start + (Step >> 1);

    /// <summary>The first value after the bucket, <c>Start + Step</c>; 0 for the last bucket, which ends at 2⁶⁴.</summary>
    public ulong NextBucketStart => unchecked(Start + Step);

    /// <summary>How many values were recorded into the bucket.</summary>
    public ulong Count { get; }

    /// <summary>The position in the histogram's storage, from 0; -1 where <see cref="IsOverflowBucket"/>.</summary>
    public int StorageIndex { get; }

    /// <summary>The position in the layout that the histogram's precision and unit define, counted from value 0 whatever the
    /// histogram's range.</summary>
    public int LogicalIndex => (int)(_index - Layout.Origin);

    /// <summary>Whether this is a bucket of the histogram's range: neither the default value nor <see cref="IsOverflowBucket"/>.</summary>
    public bool IsValid => Step != 0 && !IsOverflowBucket;

    /// <summary>Whether the bucket stands for the values on one side of the histogram's range, which are counted
    /// together; <see cref="Count"/> is then the count of that side.</summary>
    public bool IsOverflowBucket => StorageIndex == OutOfRangeIndex;

    /// <summary>The layout that the bucket is of.</summary>
    internal HdrLayout Layout { get; }

    /// <summary>The bucket as text: <c>[storage / logical]: [start, end) count</c>, culture-invariant.</summary>
    /// <returns>For example <c>[83 / 609]: [24,832, 25,088) 14,190</c>.</returns>
    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"[{StorageIndex} / {LogicalIndex}]: [{Start:N0}, {(UInt128)Start + Step:N0}) {Count:N0}");
}
