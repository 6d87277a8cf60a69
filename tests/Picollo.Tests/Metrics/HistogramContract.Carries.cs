using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Counts around and above the width of a counter.</content>
public abstract partial class HistogramContract
{
    private const ulong Half = 1UL << 31; // the sign of a 32-bit counter changes
    private const ulong Whole = 1UL << 32; // a 32-bit counter wraps

    public static TheoryData<ulong> CarryEdges => [Half, Whole, Half + Whole, 2 * Whole, 5 * Half, 1UL << 40, 1UL << 63];

    [Theory]
    [MemberData(nameof(CarryEdges))]
    public void Counts_are_exact_around_counter_limits(ulong edge)
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000, edge - 3);
        histogram.Record(25_000, 7);

        for (ulong i = 0; i < 6; i++)
        {
            histogram.GetBucket(20_000).Count.Should().Be(edge - 3 + i);
            histogram.TotalCount.Should().Be(edge + 4 + i);
            histogram.Record(20_000);
        }

        histogram.GetBucket(25_000).Count.Should().Be(7);
        histogram.GetBucket(20_256).Count.Should().Be(0);
        histogram.GetPercentile(100).Bucket.Start.Should().Be(24_832);
    }

    [Theory]
    [MemberData(nameof(CarryEdges))]
    public void A_counter_crosses_its_limit_exactly_in_steps_of_any_size(ulong edge)
    {
        HdrHistogram histogram = CreateNarrow();
        ulong expected = 0;
        void Record(ulong count)
        {
            histogram.Record(20_000, count);
            expected += count;
            histogram.GetBucket(20_000).Count.Should().Be(expected);
        }

        Record(edge / 2);
        Record((edge / 2) - 70_000);
        for (int scale = 0; scale <= 17; scale++)
        {
            Record(1UL << scale);
        }

        histogram.TotalCount.Should().Be(expected).And.BeGreaterThan(edge);
    }

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
    public void A_counter_crosses_its_limit_exactly_within_a_batch()
    {
        ulong[] values = new ulong[LongestBatch];
        Array.Fill(values, 20_000UL);
        foreach (ulong edge in (ulong[])[Half, Whole])
        {
            for (ulong before = 0; before <= LongestBatch; before++)
            {
                HdrHistogram histogram = CreateNarrow();
                histogram.Record(20_000, edge - before);

                histogram.Record(values);

                histogram.GetBucket(20_000).Count.Should().Be(edge - before + LongestBatch);
            }
        }
    }

    [Theory]
    [InlineData(null)]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(7)]
    public void A_32_bit_counter_is_carried_long_before_it_wraps(int? placeInBatch)
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

        ulong[] eight = new ulong[8];
        if (placeInBatch is { } place)
        {
            Array.Fill(eight, 25_000UL);
            eight[place] = 20_000;
            histogram.Record(eight);
        }
        else
        {
            histogram.Record(20_000);
        }

        // The table of carries is created with the first carry. Its creation proves the carry, which would otherwise take 2³¹ more records
        // to observe.
        bool narrow = histogram.GetType().GetGenericArguments()[0] == typeof(uint);
        (histogram.FootprintInBytes > before).Should().Be(narrow);
        histogram.TotalCount.Should().Be(Half - 1 + (placeInBatch is null ? 1UL : 8UL));
    }

    [Fact]
    public void Any_mix_of_counts_is_exact() => Seeded.Run(30, random =>
    {
        ulong[] values = [10_000, 11_000, 20_000, 30_000];
        HdrHistogram histogram = CreateNarrow();
        Dictionary<ulong, ulong> expected = values.ToDictionary(value => value, _ => 0UL);
        for (int i = 0; i < 300; i++)
        {
            ulong value = values[random.Next(values.Length)];
            ulong count = random.Next(4) switch
            {
                0 => 1,
                1 => random.NextBetween(Half - 2, Half + 2),
                2 => random.NextBetween(0, Whole + 2),
                _ => random.NextBetween(0, 1UL << 17),
            };
            histogram.Record(value, count);
            expected[value] += count;
            if (random.Next(20) == 0)
            {
                histogram.Reset();
                Array.ForEach(values, each => expected[each] = 0);
            }
        }

        values.Select(value => histogram.GetBucket(value).Count).Should().Equal(values.Select(value => expected[value]));
        histogram.TotalCount.Should().Be(values.Aggregate(0UL, (sum, value) => sum + expected[value]));
    });

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
    public void Carried_counts_are_reset_summed_and_added_like_the_others()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000, (3 * Whole) + 5);
        histogram.Record(1, Whole + 1);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        snapshot.TotalCount.Should().Be((3 * Whole) + 5);
        snapshot.UnderflowCount.Should().Be(Whole + 1);

        histogram.Record(20_000, Whole);
        snapshot.Update(deltas: true);
        snapshot.TotalCount.Should().Be(Whole);
        snapshot.UnderflowCount.Should().Be(0);

        HdrHistogram sum = CreateNarrow();
        sum.Add(histogram);
        sum.Add(histogram);
        sum.GetBucket(20_000).Count.Should().Be((8 * Whole) + 10);
        sum.UnderflowCount.Should().Be((2 * Whole) + 2);

        histogram.Reset();
        ShouldBeEmpty(histogram);
        histogram.Record(20_000, Whole);
        histogram.Record(20_000);
        histogram.TotalCount.Should().Be(Whole + 1);
        histogram.GetSummary().P50.TargetCount.Should().Be((Whole / 2) + 1);
    }

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
