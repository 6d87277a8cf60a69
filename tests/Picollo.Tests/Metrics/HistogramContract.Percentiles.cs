using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Percentiles at limits, and invalid ranks.</content>
public abstract partial class HistogramContract
{
    public static TheoryData<double> BadRanks =>
        [double.NaN, -1, -double.Epsilon, 100.000_000_1, 101, double.PositiveInfinity, double.NegativeInfinity];

    [Theory]
    [InlineData(0)]
    [InlineData(50)]
    [InlineData(100)]
    public void A_percentile_of_an_empty_histogram_is_0(double rank)
    {
        Percentile percentile = CreateNarrow().GetPercentile(rank);

        percentile.Rank.Should().Be(rank);
        percentile.TargetCount.Should().Be(0);
        percentile.Value.Should().Be(0);
        percentile.Bucket.Should().Be(default(Bucket));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(double.Epsilon)]
    [InlineData(50)]
    [InlineData(99.999)]
    [InlineData(100)]
    public void Every_percentile_of_one_value_is_that_value(double rank)
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000);

        Percentile percentile = histogram.GetPercentile(rank);

        percentile.TargetCount.Should().Be(1);
        PropertiesOf(percentile.Bucket).Should().Be((19_968UL, 256UL, 1UL, 64, 590));
        histogram.GetPercentileValue(rank).Should().Be(20_096).And.Be(percentile.Value);
    }

    [Fact]
    public void Rank_0_is_the_smallest_value_and_rank_100_the_largest()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(3);
        histogram.Record(50, 1_000_000_000);
        histogram.Record(70);

        histogram.GetPercentile(0).Should().Be(new Percentile(0, 1, 1, histogram.Layout.BucketAt(0, 3, 1)));
        histogram.GetPercentileValue(50).Should().Be(50);
        histogram.GetPercentile(100).Should().Be(new Percentile(100, 1_000_000_002, 1_000_000_002, histogram.Layout.BucketAt(0, 70, 1)));
    }

    [Fact]
    public void A_percentile_has_its_target_count_and_running_count()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(1, 3);
        histogram.Record(5, 10);
        histogram.Record(9, 7);

        Percentile median = histogram.GetPercentile(50);
        (median.Value, median.TargetCount, median.RunningCount, median.Bucket.Count).Should().Be((5, 10, 13, 10));
        histogram.GetSummary().P50.Should().Be(median);
        (histogram.GetPercentile(0).TargetCount, histogram.GetPercentile(0).RunningCount).Should().Be((1, 3));
        (histogram.GetPercentile(100).TargetCount, histogram.GetPercentile(100).RunningCount).Should().Be((20, 20));
    }

    [Theory]
    [InlineData(99.9, 1_000_000, 999_000)] // 99.9 / 100 is slightly above 0.999 in double
    [InlineData(7, 100, 7)] // the following quotients are inexact, too
    [InlineData(56, 100, 56)]
    [InlineData(99.99, 1_000_000, 999_900)]
    [InlineData(99.999, 1_000_000, 999_990)]
    [InlineData(92.5, 1_000_000, 925_000)]
    [InlineData(0, 1_000_000, 1)]
    [InlineData(1e-9, 1_000_000, 1)]
    [InlineData(50, 1, 1)]
    [InlineData(50, 2, 1)]
    [InlineData(50, 3, 2)]
    [InlineData(50.0001, 2, 2)]
    [InlineData(99.9, 1_000, 999)]
    [InlineData(100, 1_000, 1_000)]
    public void The_count_at_a_rank_is_rounded_up(double rank, ulong total, ulong expected)
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(10, expected - 1);
        histogram.Record(20);
        histogram.Record(30, total - expected);

        histogram.GetPercentile(rank).TargetCount.Should().Be(expected);
        histogram.GetPercentileValue(rank).Should().Be(20, "exactly one value has this count");
    }

    [Fact]
    public void Ranks_can_be_unordered_and_repeated()
    {
        HdrHistogram histogram = CreateWide();
        for (ulong value = 1; value <= 100; value++)
        {
            histogram.Record(value);
        }

        double[] ranks = [99, 1, 50, 50, 100, 0, 25];
        Percentile[] percentiles = new Percentile[ranks.Length];
        ulong[] values = new ulong[ranks.Length];
        histogram.GetPercentiles(ranks, percentiles);
        histogram.GetPercentileValues(ranks, values);

        values.Should().Equal(99, 1, 50, 50, 100, 1, 25);
        percentiles.Select(percentile => percentile.Value).Should().Equal(values);
        percentiles.Select(percentile => percentile.Rank).Should().Equal(ranks);
        percentiles.Should().Equal(ranks.Select(histogram.GetPercentile));
    }

    [Fact]
    public void Percentiles_in_every_chunk_of_the_storage_are_found()
    {
        HdrHistogram histogram = CreateWide();
        Bucket[] buckets = [.. histogram.Buckets];
        foreach (Bucket bucket in buckets)
        {
            histogram.Record(bucket.Start);
        }

        for (int i = 0; i < buckets.Length; i++)
        {
            double rank = (i + 0.5) * 100 / buckets.Length;
            histogram.GetPercentile(rank).Bucket.StorageIndex.Should().Be(i);
        }
    }

    [Theory]
    [MemberData(nameof(BadRanks))]
    public void A_rank_outside_0_to_100_is_rejected_and_nothing_is_written(double rank)
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000);
        Percentile[] percentiles = new Percentile[2];
        ulong[] values = new ulong[2];

        histogram.Invoking(h => h.GetPercentile(rank)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName(nameof(rank));
        histogram.Invoking(h => h.GetPercentileValue(rank)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName(nameof(rank));
        histogram.Invoking(h => h.GetPercentiles([50, rank], percentiles))
            .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("sortedRanks").WithMessage("*from 0 to 100*");
        histogram.Invoking(h => h.GetPercentileValues([50, rank], values))
            .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("sortedRanks").WithMessage("*from 0 to 100*");
        percentiles.Should().OnlyContain(percentile => percentile == default);
        values.Should().OnlyContain(value => value == 0);
    }

    [Fact]
    public void A_destination_shorter_than_the_ranks_is_rejected()
    {
        HdrHistogram histogram = CreateNarrow();

        histogram.Invoking(h => h.GetPercentiles([1, 2, 3], new Percentile[2])).Should().Throw<ArgumentException>().WithParameterName("percentiles");
        histogram.Invoking(h => h.GetPercentileValues([1, 2, 3], new ulong[2])).Should().Throw<ArgumentException>().WithParameterName("values");
        histogram.Invoking(h => h.GetPercentileValues([1], [])).Should().Throw<ArgumentException>().WithParameterName("values");
    }

    [Fact]
    public void A_longer_destination_is_filled_at_its_start()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(5);
        Percentile untouched = new(7, 7, 7, default);
        Percentile[] percentiles = [untouched, untouched, untouched];
        ulong[] values = [77, 77, 77];

        histogram.GetPercentiles([50, 100], percentiles);
        histogram.GetPercentileValues([50, 100], values);
        histogram.GetPercentiles([], percentiles.AsSpan(2));
        histogram.GetPercentileValues([], values.AsSpan(2));

        values.Should().Equal(5, 5, 77);
        percentiles.Select(percentile => percentile.Value).Take(2).Should().Equal(5, 5);
        percentiles[2].Should().Be(untouched);
    }
}
