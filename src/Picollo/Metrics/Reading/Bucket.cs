using System.Diagnostics;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <summary>A bucket of a histogram: the values from <see cref="Start"/> (inclusive) to <c>Start + Step</c> (exclusive), and how many were
/// recorded.</summary>
/// <remarks>An immutable copy of what was read; it does not follow the histogram. The default value is an empty bucket of
/// no width at zero.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
public readonly record struct Bucket : IJsonOnDeserializing
{
    /// <summary>The storage index of values outside the histogram's range.</summary>
    internal const int OutOfRangeIndex = -1;

    internal Bucket(ulong start, ulong step, ulong count, int storageIndex, int logicalIndex) =>
        (Start, Step, Count, StorageIndex, LogicalIndex) = (start, step, count, storageIndex, logicalIndex);

    /// <summary>The smallest value that belongs to the bucket.</summary>
    public ulong Start { get; }

    /// <summary>The width of the bucket, a power of two; <c>Start + Step</c> is the first value that no longer belongs to
    /// it (2⁶⁴ for the last bucket, which <see cref="ulong"/> cannot hold).</summary>
    public ulong Step { get; }

    /// <summary>How many values were recorded into the bucket.</summary>
    public ulong Count { get; }

    /// <summary>The position in the histogram's storage, from 0; -1 where <see cref="IsOverflowBucket"/>.</summary>
    public int StorageIndex { get; }

    /// <summary>The position in the layout that the histogram's precision and unit define, counted from value 0 whatever the
    /// histogram's range.</summary>
    public int LogicalIndex { get; }

    /// <summary>Whether the bucket stands for the values on one side of the histogram's range, which are counted
    /// together; <see cref="Count"/> is then the count of that side.</summary>
    public bool IsOverflowBucket => StorageIndex == OutOfRangeIndex;

    /// <summary>The middle of the bucket, <c>Start + Step / 2</c>.</summary>
    internal ulong Midpoint => Start + (Step >> 1);

    /// <summary>The largest value of the bucket.</summary>
    internal ulong UpperBound => Step == 0 ? Start : Start + (Step - 1);

    /// <summary>Thrown instead of a silent zero: the JSON of what was read does not have everything that the value holds.</summary>
    internal static NotSupportedException NotDeserializable(string type) =>
        new($"A {type} cannot be read from JSON. Exchange histograms by HdrHistogramEncoding of the package Picollo.Export.");

    void IJsonOnDeserializing.OnDeserializing() => throw NotDeserializable(nameof(Bucket));

    /// <summary>The bucket as text: <c>[storage / logical]: [start, end) count</c>, culture-invariant.</summary>
    /// <returns>For example <c>[83 / 609]: [24,832, 25,088) 14,190</c>.</returns>
    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"[{StorageIndex} / {LogicalIndex}]: [{Start:N0}, {(UInt128)Start + Step:N0}) {Count:N0}");
}
