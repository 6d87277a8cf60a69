using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Single records and batches.</content>
public abstract partial class HistogramContract
{
    private const int LongestBatch = 70; // several vectors, with every remainder

    [Fact]
    public void An_empty_histogram_has_no_counts() => ShouldBeEmpty(CreateWide());

    [Fact]
    public void A_value_is_counted_only_in_its_bucket()
    {
        foreach (ulong value in Values.Edges)
        {
            HdrHistogram histogram = CreateWide();

            histogram.Record(value);

            Bucket bucket = histogram.BucketsWithValues.Should().ContainSingle().Subject;
            bucket.Count.Should().Be(1);
            bucket.Start.Should().BeLessThanOrEqualTo(value);
            (value - bucket.Start).Should().BeLessThan(bucket.Step);
            histogram.GetBucket(value).Should().Be(bucket);
            histogram.TotalCount.Should().Be(1);
            histogram.OverflowCount.Should().Be(0);
        }
    }

    [Fact]
    public void Values_below_two_blocks_are_exact()
    {
        HdrHistogram histogram = CreateWide();
        for (ulong value = 0; value < 128; value++)
        {
            histogram.Record(value, value + 1);
        }

        for (ulong value = 0; value < 128; value++)
        {
            histogram.GetBucket(value).Should().Be(histogram.Layout.BucketAt(0, (int)value, value + 1));
        }
    }

    [Fact]
    public void A_count_of_zero_records_nothing()
    {
        HdrHistogram histogram = CreateNarrow();

        histogram.Record(20_000, 0);
        histogram.Record(1, 0);
        histogram.Record(40_000, 0);

        ShouldBeEmpty(histogram);
    }

    [Fact]
    public void An_empty_batch_records_nothing()
    {
        HdrHistogram histogram = CreateNarrow();

        histogram.Record([]);

        ShouldBeEmpty(histogram);
    }

    [Fact]
    public void Record_with_a_count_equals_repeated_records()
    {
        HdrHistogram counted = CreateNarrow();
        HdrHistogram oneByOne = CreateNarrow();

        foreach (ulong value in (ulong[])[9_000, 10_000, 20_000, 30_000, 31_000])
        {
            counted.Record(value, 137);
            for (int i = 0; i < 137; i++)
            {
                oneByOne.Record(value);
            }
        }

        counted.TotalCount.Should().Be(3 * 137);
        ShouldHaveEqualCounts(counted, oneByOne);
    }

    [Fact]
    public void Values_out_of_range_are_counted_by_side()
    {
        HdrHistogram histogram = CreateNarrow();

        histogram.Record(9_983);
        histogram.Record(0, 2);
        histogram.Record(30_208);
        histogram.Record(ulong.MaxValue, 10);
        histogram.Record([0, 20_000, ulong.MaxValue]);

        histogram.TotalCount.Should().Be(1);
        histogram.UnderflowCount.Should().Be(4);
        histogram.OverflowCount.Should().Be(4 + 12);
    }

    [Theory]
    [InlineData(12_345, 0, ulong.MaxValue, true)]
    [InlineData(12_345, 12_345, 12_345, true)] // exact, in the middle of a bucket
    [InlineData(12_345, 12_346, ulong.MaxValue, false)]
    [InlineData(12_345, 0, 12_344, false)]
    [InlineData(9_999, 0, ulong.MaxValue, false)] // the histogram's own range is narrower
    [InlineData(30_001, 0, ulong.MaxValue, false)]
    public void RecordInRange_uses_the_narrower_range(ulong value, ulong min, ulong max, bool isInRange)
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.RecordInRange(value, min, max);
        Action strict = () => histogram.RecordInRange(value, min: min, max: max, throwOnOutOfRange: true);

        if (isInRange)
        {
            strict();
            (histogram.TotalCount, histogram.OverflowCount).Should().Be((2UL, 0UL));
        }
        else
        {
            strict.Should().Throw<ArgumentOutOfRangeException>().WithParameterName(nameof(value));
            (histogram.TotalCount, histogram.OverflowCount).Should().Be((0UL, 2UL));
            histogram.UnderflowCount.Should().Be(value < Math.Max(min, Min) ? 2UL : 0);
        }
    }

    [Fact]
    public void RecordInRange_throws_after_dispose()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Dispose();
        histogram.Invoking(h => h.RecordInRange(5, 10, 20)).Should().Throw<ObjectDisposedException>();
        histogram.Invoking(h => h.RecordInRange(5, 10, 20, throwOnOutOfRange: true)).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void The_range_is_extended_to_whole_buckets()
    {
        HdrHistogram histogram = CreateNarrow();

        histogram.Record(9_984);
        histogram.Record(30_207);

        histogram.TotalCount.Should().Be(2);
        histogram.OverflowCount.Should().Be(0);
        histogram.MinTrackableValue.Should().Be(Min);
        histogram.MaxTrackableValue.Should().Be(Max);
    }

    [Fact]
    public void A_batch_of_any_length_equals_its_values_one_by_one() => Seeded.Run(LongestBatch + 1, random =>
    {
        // Test every length in every case: the seed determines only the values.
        for (int length = 0; length <= LongestBatch; length++)
        {
            HdrHistogram batched = CreateNarrow();
            HdrHistogram oneByOne = CreateNarrow();
            ulong[] values = [.. Enumerable.Range(0, length).Select(_ => NextInOrAroundRange(random))];

            batched.Record(values);
            foreach (ulong value in values)
            {
                oneByOne.Record(value);
            }

            ShouldHaveEqualCounts(batched, oneByOne);
        }
    });

    [Fact]
    public void A_batch_can_contain_values_of_every_magnitude() => Seeded.Run(20, random =>
    {
        HdrHistogram batched = CreateWide();
        HdrHistogram oneByOne = CreateWide();
        ulong[] values = [.. Values.Edges, .. Enumerable.Range(0, 500).Select(_ => random.NextMagnitude())];
        random.Shuffle(values);

        batched.Record(values);
        foreach (ulong value in values)
        {
            oneByOne.Record(value);
        }

        batched.TotalCount.Should().Be((ulong)values.Length);
        ShouldHaveEqualCounts(batched, oneByOne);
    });

    [Fact]
    public void A_batch_of_equal_values_counts_each_of_them()
    {
        HdrHistogram histogram = CreateWide();
        ulong[] values = new ulong[1_000];
        Array.Fill(values, 12_345UL);

        histogram.Record(values);

        histogram.GetBucket(12_345).Count.Should().Be(1_000);
        histogram.TotalCount.Should().Be(1_000);
    }

    private static ulong NextInOrAroundRange(Random random) => random.Next(8) switch
    {
        0 => random.NextMagnitude(),
        1 => random.NextBetween(Min - 300, Min + 300),
        2 => random.NextBetween(Max - 300, Max + 300),
        3 => 20_000, // several lanes of one vector with the same bucket
        _ => random.NextBetween(Min, Max),
    };

    /// <summary>In the octaves that contain the limits of the range, a writer does not compare values with the limits, so readers must
    /// determine which counts are in range.</summary>
    [Fact]
    public void Values_outside_the_range_but_in_its_octaves_are_out_of_range()
    {
        HdrHistogram histogram = CreateNarrow(); // from 10,000 to 30,000, whose octaves are 8,192 to 32,767
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        ulong[] below = [8_192, 9_000, 9_983], within = [9_984, 20_000, 30_207], above = [30_208, 31_000, 32_767];
        for (int round = 1; round <= 2; round++)
        {
            ulong times = (ulong)round;
            foreach (ulong value in below.Concat(within).Concat(above))
            {
                histogram.Record(value); // the first record allocates the octave's counters, the second finds them
                histogram.Record(value);
            }

            histogram.Record(below);
            histogram.Record([.. within, .. above]);

            histogram.TotalCount.Should().Be(9 * times);
            histogram.UnderflowCount.Should().Be(9 * times);
            histogram.OverflowCount.Should().Be(18 * times);
            histogram.GetBucket(9_000).Count.Should().Be(9 * times);
            histogram.GetBucket(31_000).Count.Should().Be(9 * times);
            histogram.GetSummary().OverflowCount.Should().Be(18 * times);
            histogram.GetSummary().P0.Bucket.Start.Should().Be(9_984);
            histogram.GetSummary().P100.Bucket.Start.Should().Be(29_952);
            snapshot.Update(deltas: true);
            snapshot.OverflowCount.Should().Be(18);
            snapshot.UnderflowCount.Should().Be(9);
        }

        HdrHistogram copy = histogram.Clone();
        (copy.UnderflowCount, copy.OverflowCount).Should().Be((18, 36));
        histogram.Reset();
        (histogram.UnderflowCount, histogram.OverflowCount).Should().Be((0, 0));
    }
}
