namespace Picollo.Metrics;

/// <summary>A bucket of a histogram: the values from <see cref="Start"/> (inclusive) to <c>Start + Step</c> (exclusive), with the count of
/// recorded values.</summary>
/// <remarks>A bucket is immutable: later changes of the histogram do not affect it. The default value is an empty bucket of width 0 at
/// value 0.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
[JsonConverter(typeof(PicolloJsonConverter))]
[ConvertedBy(typeof(BucketJsonConverter))]
public readonly partial record struct Bucket
{
    /// <summary>The storage index for values outside the histogram's range.</summary>
    internal const int OutOfRangeIndex = -1;

    private readonly uint _index; // in the layout, relative to its origin

    internal Bucket(HdrHistogramLayout layout, uint index, ulong count, int storageIndex) =>
        (Layout, _index, Count, StorageIndex) = (layout, index, count, storageIndex);

    /// <summary>The smallest value of the bucket.</summary>
    public ulong Start => Layout.StartOf(_index);

    /// <summary>The largest value of the bucket, <c>Start + Step - 1</c>.</summary>
    public ulong End => Step == 0 ? Start : Start + (Step - 1);

    /// <summary>The width of the bucket, a power of two; 0 for the default value.</summary>
    public ulong Step => Layout == default ? 0 : 1UL << Layout.StepScaleOf(_index);

    /// <summary>The middle of the bucket, <c>Start + Step / 2</c>.</summary>
    public ulong Midpoint => Start + (Step >> 1);

    /// <summary>The number of recorded values in the bucket.</summary>
    public ulong Count { get; }

    /// <summary>The index in the histogram's storage, from 0; -1 if <see cref="IsOverflowBucket"/> is <see langword="true"/>.</summary>
    public int StorageIndex { get; }

    /// <summary>The index in the layout that the histogram's precision and unit define. Index 0 is the bucket of value 0 for every range of
    /// the histogram.</summary>
    public int LogicalIndex => (int)(_index - Layout.Origin);

    /// <summary>Whether this bucket is in the histogram's range. It is <see langword="false"/> for the default value and if
    /// <see cref="IsOverflowBucket"/> is <see langword="true"/>.</summary>
    public bool IsValid => Step != 0 && !IsOverflowBucket;

    /// <summary>Whether the bucket is outside the histogram's range. <see cref="Count"/> is then the count of all values on that side of
    /// the range.</summary>
    public bool IsOverflowBucket => StorageIndex == OutOfRangeIndex;

    internal HdrHistogramLayout Layout { get; }

    /// <summary>Returns the bucket as culture-invariant text: <c>[storage / logical]: [start, end) count</c>.</summary>
    /// <returns>A string such as <c>[83 / 609]: [24,832, 25,088) 14,190</c>.</returns>
    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"[{StorageIndex} / {LogicalIndex}]: [{Start:N0}, {(UInt128)Start + Step:N0}) {Count:N0}");
}

internal static class BucketExtensions
{
    /// <summary>Returns the bucket at <paramref name="storageIndex"/> in a storage whose first bucket has the index
    /// <paramref name="firstIndex"/>.</summary>
    public static Bucket BucketAt(this HdrHistogramLayout layout, uint firstIndex, int storageIndex, ulong count) =>
        new(layout, firstIndex + (uint)storageIndex, count, storageIndex);
}
