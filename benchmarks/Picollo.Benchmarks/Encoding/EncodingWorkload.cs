using Picollo.Export;

namespace Picollo.Benchmarks.Encoding;

/// <summary>A histogram with three digits and a range of one hour in nanoseconds. It has 5,000 used buckets of all magnitudes from a microsecond
/// on, so most of them are between empty buckets.</summary>
internal sealed class EncodingWorkload
{
    private const int UsedBuckets = 5_000;
    private const ulong Highest = 3_600_000_000_000;
    private const double Lowest = 1_000;
    private const int Seed = 42;

    public required PlainHdrHistogram<ulong> Histogram { get; init; }

    public required byte[] Encoded { get; init; }

    public required byte[] Compressed { get; init; }

    public PlainHdrHistogram<ulong> Decoded => HdrHistogramEncoding.Decode(Encoded);

    public static EncodingWorkload Create()
    {
        PlainHdrHistogram<ulong> histogram =
            HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(Highest).WithUInt64Storage().Create();
        Random random = new(Seed);
        for (int used = 0; used < UsedBuckets;)
        {
            ulong value = (ulong)(Lowest * Math.Pow(Highest / Lowest, random.NextDouble()));
            used += histogram.GetBucket(value).Count == 0 ? 1 : 0;
            histogram.Record(value, (ulong)(1 + (1_000 * Math.Pow(random.NextDouble(), 4)))); // one byte for half of them, two for the rest
        }

        return new EncodingWorkload
        {
            Histogram = histogram,
            Encoded = HdrHistogramEncoding.Encode(histogram),
            Compressed = HdrHistogramEncoding.EncodeCompressed(histogram),
        };
    }

    /// <summary>Verifies the counts of a histogram.</summary>
    /// <exception cref="InvalidOperationException">The counts differ.</exception>
    public void Verify(string name, ReadOnlyHdrHistogram histogram)
    {
        if (!histogram.Buckets.SequenceEqual(Histogram.Buckets))
        {
            throw new InvalidOperationException($"{name}: the decoded histogram differs.");
        }
    }
}
