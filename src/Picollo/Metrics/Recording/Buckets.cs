using System.Collections;

namespace Picollo.Metrics;

/// <summary>The buckets of a histogram in ascending order. Each enumeration reads the histogram once, when it starts, so the counts are
/// consistent with each other.</summary>
/// <remarks>Returned by <see cref="ReadOnlyHdrHistogram.Buckets"/> and <see cref="ReadOnlyHdrHistogram.BucketsWithValues"/>. Immutable and
/// thread-safe.</remarks>
public readonly struct Buckets : IEnumerable<Bucket>
{
    private readonly ReadOnlyHdrHistogram? _histogram;
    private readonly bool _withValuesOnly;

    internal Buckets(ReadOnlyHdrHistogram histogram, bool withValuesOnly) => (_histogram, _withValuesOnly) = (histogram, withValuesOnly);

    /// <summary>Reads the histogram and starts at its first bucket.</summary>
    /// <returns>An enumerator over the buckets.</returns>
    /// <exception cref="InvalidOperationException">This is the default value, without a histogram.</exception>
    public IEnumerator<Bucket> GetEnumerator() =>
        (_histogram ?? throw WithoutHistogram(nameof(Buckets))).EnumerateBuckets(_withValuesOnly).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal static InvalidOperationException WithoutHistogram(string type) =>
        new($"The default value of {type} has no histogram to enumerate.");
}

/// <summary>The buckets of a histogram with their percentile ranks, in ascending order. Each enumeration reads the histogram once, when it
/// starts, so the counts are consistent with each other.</summary>
/// <remarks>Returned by <see cref="ReadOnlyHdrHistogram.BucketPercentiles"/> and
/// <see cref="ReadOnlyHdrHistogram.BucketPercentilesWithValues"/>. Immutable and thread-safe.</remarks>
public readonly struct BucketPercentiles : IEnumerable<Percentile>
{
    private readonly ReadOnlyHdrHistogram? _histogram;
    private readonly bool _withValuesOnly;

    internal BucketPercentiles(ReadOnlyHdrHistogram histogram, bool withValuesOnly) =>
        (_histogram, _withValuesOnly) = (histogram, withValuesOnly);

    /// <summary>Reads the histogram and starts at its first bucket.</summary>
    /// <returns>An enumerator over the percentiles.</returns>
    /// <exception cref="InvalidOperationException">This is the default value, without a histogram.</exception>
    public IEnumerator<Percentile> GetEnumerator() =>
        (_histogram ?? throw Buckets.WithoutHistogram(nameof(BucketPercentiles)))
            .EnumerateBucketPercentiles(_withValuesOnly).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
