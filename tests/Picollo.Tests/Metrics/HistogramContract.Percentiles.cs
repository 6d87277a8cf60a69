using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Percentiles at limits, and invalid ranks.</content>
public abstract partial class HistogramContract
{
    public static TheoryData<double> BadRanks =>
        [double.NaN, -1, -double.Epsilon, 100.000_000_1, 101, double.PositiveInfinity, double.NegativeInfinity];

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
