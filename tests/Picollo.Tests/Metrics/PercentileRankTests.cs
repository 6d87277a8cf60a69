using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class PercentileRankTests
{
    [Fact]
    public void Of_100_values_the_count_at_a_whole_rank_is_the_rank()
    {
        for (int rank = 1; rank <= 100; rank++)
        {
            PercentileRank.ToCount(rank, 100).Should().Be((ulong)rank);
        }
    }

    [Fact]
    public void The_count_at_rank_99_9_is_exact_for_multiples_of_1000()
    {
        for (ulong thousands = 1; thousands <= 200; thousands++)
        {
            PercentileRank.ToCount(99.9, thousands * 1_000).Should().Be(thousands * 999);
        }
    }

    [Theory]
    [InlineData(99.9, ulong.MaxValue, 18_428_297_329_635_842_064)] // 18,428,297,329,635,842,063.385
    [InlineData(50, ulong.MaxValue, 9_223_372_036_854_775_808)]
    [InlineData(99.999999, 1_000_000_000_000_000_000, 999_999_990_000_000_000)]
    [InlineData(99.99999999999999, ulong.MaxValue, 18_446_744_073_709_549_771)]
    [InlineData(1e-17, ulong.MaxValue, 2)]
    [InlineData(5e-324, ulong.MaxValue, 1)]
    [InlineData(1.2345678901234567E-10, 10_000_000_000_000_000_000, 12_345_679)]
    [InlineData(0, ulong.MaxValue, 1)]
    [InlineData(0, 0, 0)]
    [InlineData(100, 0, 0)]
    [InlineData(100, ulong.MaxValue, ulong.MaxValue)]
    public void Ranks_of_large_counts_are_exact(double rank, ulong total, ulong expected) =>
        PercentileRank.ToCount(rank, total).Should().Be(expected);

    [Fact]
    public void Any_rank_has_the_count_of_its_decimal_number() => Seeded.Run(20_000, random =>
    {
        ulong total = NextTotal(random);
        double rank = random.Next(3) switch
        {
            0 => random.Next(0, 100_001) / 1_000.0,
            1 => Math.Round(random.NextDouble() * 100, random.Next(0, 16)),
            _ => 100 * Math.Pow(random.NextDouble(), random.Next(1, 30)),
        };

        PercentileRank.ToCount(rank, total).Should().Be(RankOracle.CountAt(rank, total), $"of {rank:R} of {total}");
    });

    [Fact]
    public void The_inverse_is_the_largest_rank_with_at_most_the_count() => Seeded.Run(5_000, random =>
    {
        ulong total = NextTotal(random);
        ulong count = (ulong)((UInt128)(ulong)random.NextInt64() * total >> 63);

        RankOracle.ShouldBeLargest(PercentileRank.Of(count, total), count, total);
        RankOracle.ShouldBeLargest(PercentileRank.Of(total - 1, total), total - 1, total);
        PercentileRank.Of(total, total).Should().Be(100);
        PercentileRank.Of(0, total).Should().Be(0);
    });

    [Fact]
    public void The_value_at_the_rank_of_a_value_is_the_value()
    {
        using HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.0001).Create();
        for (ulong value = 1; value <= 1_000; value++)
        {
            histogram.Record(value);
        }

        for (ulong value = 1; value <= 1_000; value++)
        {
            histogram.GetPercentileValue(histogram.GetPercentileRank(value)).Should().Be(value);
        }

        histogram.GetSummary().P999.Value.Should().Be(999);
    }

    private static ulong NextTotal(Random random) => ((ulong)random.NextInt64() >> random.Next(0, 63)) + 1;
}
