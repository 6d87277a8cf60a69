using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Compares the sum, mean and deviation of counts of any size with integer arithmetic, because the library sums them in lanes of
/// limited width.</summary>
public class MomentsOracleTests
{
    private const double Tolerance = 1e-12;

    [Fact]
    public void Moments_of_midpoints_are_exact_for_any_counts() => Seeded.Run(400, random =>
    {
        (HdrHistogram histogram, int largestScale) = NextHistogram(random);
        Bucket[] buckets = [.. histogram.Buckets];
        Bucket first = buckets[random.Next(buckets.Length)];
        bool near = random.Next(2) == 0;
        for (int i = random.Next(300); i > 0; i--)
        {
            Bucket bucket = near
                ? buckets[Math.Min(first.StorageIndex + random.Next(100), buckets.Length - 1)]
                : buckets[random.Next(buckets.Length)];
            histogram.Record(bucket.Start, random.NextMagnitude() >> (63 - largestScale));
        }

        if (random.Next(3) == 0)
        {
            Reset(histogram, random);
        }

        HdrHistogramSummary summary = histogram.GetSummary();

        ShouldMatch(summary, [.. histogram.BucketsWithValues]);
        ShouldMatch(histogram.GetSnapshot().GetSummary(), [.. histogram.BucketsWithValues]);
        summary.P100.TargetCount.Should().Be(histogram.TotalCount);
        summary.P50.Should().Be(histogram.GetPercentile(50));
        summary.P999.Should().Be(histogram.GetPercentile(99.9));
    });

    [Theory]
    [InlineData((1UL << 19) - 1)]
    [InlineData(1UL << 19)]
    [InlineData((1UL << 20) - 1)]
    [InlineData((1UL << 32) - 1)]
    [InlineData(1UL << 32)]
    [InlineData(1UL << 52)]
    public void A_piece_of_equal_counts_is_summed_exactly(ulong count)
    {
        foreach (HdrHistogramFactory factory in Variants.Factories.Values)
        {
            HdrHistogram histogram = factory.WithRelativeError(0.001).WithMinTrackableValue(3_000).WithMaxTrackableValue(20_000).Create();
            foreach (Bucket bucket in histogram.Buckets)
            {
                histogram.Record(bucket.Start, count);
            }

            ShouldMatch(histogram.GetSummary(), [.. histogram.BucketsWithValues]);
        }
    }

    // Counts are from 1 to the largest of which 500 do not exceed 2⁶⁴. Precision and range are random.
    private static (HdrHistogram Histogram, int LargestScale) NextHistogram(Random random)
    {
        HdrHistogramFactory factory = Variants.Next(random).WithRelativeError(0.5 / (1 << random.Next(3, 12)));
        ulong min = random.Next(3) == 0 ? 0 : random.NextMagnitude() >> 1;
        ulong max = random.Next(3) == 0 ? ulong.MaxValue : min + 1 + (random.NextMagnitude() >> 2);
        return (factory.WithMinTrackableValue(min).WithMaxTrackableValue(max).Create(), random.Next(1, 54));
    }

    // After a reset, a different code path reads the counts.
    private static void Reset(HdrHistogram histogram, Random random)
    {
        Bucket[] buckets = [.. histogram.BucketsWithValues];
        histogram.Reset();
        foreach (Bucket bucket in buckets)
        {
            histogram.Record(bucket.Start, (ulong)random.Next(1_000));
        }
    }

    private static void ShouldMatch(HdrHistogramSummary summary, Bucket[] buckets)
    {
        BigInteger count = 0, sum = 0, squares = 0;
        foreach (Bucket bucket in buckets)
        {
            BigInteger midpoint = (BigInteger)bucket.Start + (bucket.Step / 2);
            count += bucket.Count;
            sum += midpoint * bucket.Count;
            squares += midpoint * midpoint * bucket.Count;
        }

        summary.TotalCount.Should().Be((ulong)count);
        if (count == 0)
        {
            (summary.Sum, summary.Mean, summary.StDev).Should().Be((0, 0, 0));
            return;
        }

        double mean = (double)sum / (double)count;
        double deviation = Math.Sqrt((double)((squares * count) - (sum * sum))) / (double)count;
        double unit = Math.BitIncrement(mean) - mean; // the error of a mean is an ulp, and so is the error of each distance from it
        summary.Sum.Should().BeApproximately((double)sum, (double)sum * Tolerance);
        summary.Mean.Should().BeApproximately(mean, mean * Tolerance);
        summary.StDev.Should().BeApproximately(deviation, (deviation * Tolerance) + unit);
    }
}
