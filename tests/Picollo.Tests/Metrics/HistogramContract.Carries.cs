using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Counts around and above the width of a counter.</content>
public abstract partial class HistogramContract
{
    private const ulong Half = 1UL << 31; // the sign of a 32-bit counter changes
    private const ulong Whole = 1UL << 32; // a 32-bit counter wraps

    [Fact]
    public void Counts_that_wrap_to_0_are_read_as_0()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(20_000, 1UL << 63);
        histogram.Record(30_000, 1UL << 63);

        HdrHistogramSummary summary = histogram.GetSummary();

        summary.TotalCount.Should().Be(0, "totals wrap at 2⁶⁴");
        summary.StDev.Should().Be(0);
        summary.P100.Value.Should().Be(0);
    }

    [Fact]
    public void A_32_bit_counter_is_carried_long_before_it_wraps()
    {
        const ulong Piece = 1 << 16; // small enough to be added directly to the counter
        HdrHistogram histogram = CreateNarrow();
        for (ulong count = Piece; count < Half; count += Piece)
        {
            histogram.Record(20_000, Piece);
        }

        ulong[] rest = new ulong[Piece - 1];
        Array.Fill(rest, 20_000UL);
        histogram.Record(rest);
        histogram.TotalCount.Should().Be(Half - 1);
        long before = histogram.FootprintInBytes;

        histogram.Record(20_000);

        // The table of carries is created with the first carry. Its creation proves the carry, which would otherwise take 2³¹ more records
        // to observe.
        bool narrow = histogram.GetType().GetGenericArguments()[0] == typeof(uint);
        (histogram.FootprintInBytes > before).Should().Be(narrow);
        histogram.TotalCount.Should().Be(Half);
    }

    [Theory]
    [InlineData(0.000_1)]
    [InlineData(0.001)]
    [InlineData(0.1)]
    public void A_large_count_takes_no_memory_for_other_buckets(double relativeError)
    {
        HdrHistogram histogram = Factory.WithRelativeError(relativeError).Create();
        histogram.Record([5, 6]);
        long footprint = histogram.FootprintInBytes;
        long allocated = GC.GetAllocatedBytesForCurrentThread();

        foreach (ulong count in (ulong[])[(1 << 16) + 1, Half, 1UL << 40, ulong.MaxValue / 4])
        {
            histogram.Record(5, count);
            histogram.Record(6, count);
        }

        (GC.GetAllocatedBytesForCurrentThread() - allocated).Should().BeLessThan(500);
        histogram.FootprintInBytes.Should().BeLessThan(footprint + 200);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Reads_of_large_counts_equal_those_of_64_bit_counters() => Seeded.Run(40, random =>
    {
        double relativeError = ((double[])[0.1, 0.02, 0.001, 0.000_1])[random.Next(4)];
        ulong min = random.Next(2) == 0 ? 0 : 3_000UL;
        ulong max = random.Next(2) == 0 ? ulong.MaxValue : 70_000_000;
        HdrHistogramFactory factory = Factory.WithRelativeError(relativeError).WithMinTrackableValue(min).WithMaxTrackableValue(max);
        HdrHistogram histogram = factory.WithUInt32Storage().Create(), sum = factory.WithUInt32Storage().Create();
        HdrHistogram wide = HdrHistogram.Factory.WithRelativeError(relativeError).WithMinTrackableValue(min).WithMaxTrackableValue(max)
            .WithUInt64Storage().Create();
        HdrHistogramSnapshot deltas = histogram.GetSnapshot(), wideDeltas = wide.GetSnapshot();
        for (int round = 0; round < 3; round++)
        {
            for (int i = random.Next(60); i > 0; i--)
            {
                ulong value = random.NextMagnitude();
                ulong count = random.Next(4) switch
                {
                    0 => random.NextBetween(1, 100),
                    1 => random.NextBetween(Half - 2, Half + 2),
                    _ => random.NextMagnitude() >> 12,
                };
                histogram.Record(value, count);
                wide.Record(value, count);
            }

            deltas.Update(deltas: true);
            wideDeltas.Update(deltas: true);
            deltas.BucketsWithValues.Should().Equal(wideDeltas.BucketsWithValues);
            ShouldHaveEqualSummaries(deltas, wideDeltas);
            ShouldHaveEqualSummaries(histogram, wide);
            histogram.BucketPercentilesWithValues.Should().Equal(wide.BucketPercentilesWithValues);
            histogram.OverflowCount.Should().Be(wide.OverflowCount);
        }

        sum.Record(5_000, Half - 1);
        wide.Record(5_000, Half - 1);
        sum.Add(histogram);
        sum.BucketsWithValues.Should().Equal(wide.BucketsWithValues);
        ShouldHaveEqualSummaries(sum, wide);
    });

    [Fact]
    public void Percentiles_of_huge_counts_find_their_buckets()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(11_000, 1UL << 63);
        histogram.Record(20_000, (1UL << 63) - 1);

        histogram.TotalCount.Should().Be(ulong.MaxValue);
        histogram.GetPercentile(0).TargetCount.Should().Be(1);
        histogram.GetPercentile(50).Bucket.Should().Be(histogram.GetBucket(11_000));
        histogram.GetPercentile(75).Bucket.Should().Be(histogram.GetBucket(20_000));
        histogram.GetPercentile(100).TargetCount.Should().Be(ulong.MaxValue);
        histogram.GetPercentileRank(11_000).Should().BeApproximately(50, 1e-9);
        histogram.GetSummary().Mean.Should().BeApproximately((10_944 + 20_096) / 2.0, 1e-6);
    }

    private static void ShouldHaveEqualSummaries(ReadOnlyHdrHistogram actual, ReadOnlyHdrHistogram expected)
    {
        HdrHistogramSummary one = actual.GetSummary(), other = expected.GetSummary();
        one.TotalCount.Should().Be(other.TotalCount);
        one.OverflowCount.Should().Be(other.OverflowCount);
        (one.Mean, one.StDev, one.Sum).Should().Be((other.Mean, other.StDev, other.Sum));
        Enumerable.Range(0, 16).Select(one.At).Should().Equal(Enumerable.Range(0, 16).Select(other.At));
    }
}
