using System.Collections;

namespace Picollo.Metrics;

/// <summary>The buckets of a histogram in ascending order, all of one moment: when an enumeration begins, it reads the histogram
/// once.</summary>
/// <remarks>Immutable and thread-safe. Of <see cref="ReadOnlyHdrHistogram.Buckets"/> and
/// <see cref="ReadOnlyHdrHistogram.BucketsWithValues"/>.</remarks>
public readonly struct Buckets : IEnumerable<Bucket>
{
    private readonly ReadOnlyHdrHistogram? _histogram;
    private readonly bool _withValuesOnly;

    internal Buckets(ReadOnlyHdrHistogram histogram, bool withValuesOnly) => (_histogram, _withValuesOnly) = (histogram, withValuesOnly);

    /// <summary>Reads the histogram and starts at its first bucket.</summary>
    /// <returns>The buckets.</returns>
    /// <exception cref="InvalidOperationException">This is the default value, without a histogram.</exception>
    public IEnumerator<Bucket> GetEnumerator() =>
        (_histogram ?? throw WithoutHistogram(nameof(Buckets))).EnumerateBuckets(_withValuesOnly).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal static InvalidOperationException WithoutHistogram(string type) =>
        new($"The default value of {type} has no histogram to enumerate.");
}

/// <summary>The buckets of a histogram in ascending order with their percentile ranks, all of one moment: when an enumeration begins, it
/// reads the histogram once.</summary>
/// <remarks>Immutable and thread-safe. Of <see cref="ReadOnlyHdrHistogram.BucketPercentiles"/> and
/// <see cref="ReadOnlyHdrHistogram.BucketPercentilesWithValues"/>.</remarks>
public readonly struct BucketPercentiles : IEnumerable<Percentile>
{
    private readonly ReadOnlyHdrHistogram? _histogram;
    private readonly bool _withValuesOnly;

    internal BucketPercentiles(ReadOnlyHdrHistogram histogram, bool withValuesOnly) =>
        (_histogram, _withValuesOnly) = (histogram, withValuesOnly);

    /// <summary>Reads the histogram and starts at its first bucket.</summary>
    /// <returns>The percentiles.</returns>
    /// <exception cref="InvalidOperationException">This is the default value, without a histogram.</exception>
    public IEnumerator<Percentile> GetEnumerator() =>
        (_histogram ?? throw Buckets.WithoutHistogram(nameof(BucketPercentiles)))
            .EnumerateBucketPercentiles(_withValuesOnly).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
