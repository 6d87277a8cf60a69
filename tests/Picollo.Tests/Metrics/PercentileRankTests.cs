using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class PercentileRankTests
{
    [Theory]
    [InlineData(99.9, ulong.MaxValue, 18_428_297_329_635_842_064)] // 18,428,297,329,635,842,063.385
    [InlineData(50, ulong.MaxValue, 9_223_372_036_854_775_808)]
    [InlineData(99.999999, 1_000_000_000_000_000_000, 999_999_990_000_000_000)]
    [InlineData(0.000001, 1_000_000_000_000_000_000, 10_000_000_000)]
    [InlineData(5e-324, ulong.MaxValue, 1)]
    [InlineData(1.2345678901234567E-10, 10_000_000_000_000_000_000, 12_345_679)]
    [InlineData(0, ulong.MaxValue, 1)]
    [InlineData(0, 0, 0)]
    [InlineData(100, 0, 0)]
    [InlineData(100, ulong.MaxValue, ulong.MaxValue)]
    public void Ranks_of_large_counts_are_exact(double rank, ulong total, ulong expected) =>
        PercentileRank.ToCount(rank, total).Should().Be(expected);

    [Fact]
    public void A_computed_rank_of_large_counts_has_the_count_that_it_was_computed_from() => Seeded.Run(20_000, random =>
    {
        ulong total = (NextTotal(random) >> 17) + 1; // the product below is exact
        ulong count = (ulong)(random.NextDouble() * total) + 1;

        PercentileRank.ToCount(100.0 * count / total, total).Should().Be(count, $"of {count} of {total}");
    });

    [Fact]
    public void Any_rank_has_the_count_of_its_definition() => Seeded.Run(20_000, random =>
    {
        ulong total = NextTotal(random);
        double rank = random.Next(3) switch
        {
            0 => random.Next(0, 100_001) / 1_000.0,
            1 => Math.Round(random.NextDouble() * 100, random.Next(0, 16)),
            _ => 100 * Math.Pow(random.NextDouble(), random.Next(1, 30)),
        };

        for (int i = 0; i < 3; i++, rank = Math.Min(Math.BitIncrement(rank), 100))
        {
            PercentileRank.ToCount(rank, total).Should().Be(RankOracle.CountAt(rank, total), $"of {rank:R} of {total}");
        }
    });

    [Fact]
    public void The_inverse_is_the_rank_of_the_count() => Seeded.Run(5_000, random =>
    {
        ulong total = NextTotal(random);
        ulong count = (ulong)((UInt128)(ulong)random.NextInt64() * total >> 63);

        RankOracle.ShouldBeRankOf(PercentileRank.FromCount(count, total), count, total);
        RankOracle.ShouldBeRankOf(PercentileRank.FromCount(total - 1, total), total - 1, total);
        PercentileRank.FromCount(total, total).Should().Be(100);
        PercentileRank.FromCount(0, total).Should().Be(0);
    });

    [Theory]
    [InlineData(1, 4, 25)]
    [InlineData(999, 1_000, 99.9)]
    [InlineData(99_999_999, 100_000_000, 99.999999)]
    public void The_inverse_of_a_decimal_rank_is_that_rank(ulong count, ulong total, double rank) =>
        PercentileRank.FromCount(count, total).Should().Be(rank);

    private static ulong NextTotal(Random random) => ((ulong)random.NextInt64() >> random.Next(0, 63)) + 1;
}
