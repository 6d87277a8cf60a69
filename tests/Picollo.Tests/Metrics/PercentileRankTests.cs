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
    public void Decimal_ranks_are_exact_for_all_totals()
    {
        for (ulong total = 1_000; total <= 100_000_000; total *= 10)
        {
            double rank = 100 * (total - 1) / (double)total; // 99.9, 99.99 ... 99.999999
            for (ulong factor = 1; factor <= (1UL << 62) / total; factor *= 7)
            {
                ulong all = total * factor;
                PercentileRank.ToCount(rank, all).Should().Be(all - factor, $"of {rank:R} of {all}");
                PercentileRank.ToCount(rank, all + 1).Should().Be(all - factor + 1, $"of {rank:R} of {all + 1}");
            }
        }
    }

    [Fact]
    public void A_computed_rank_has_the_count_that_it_was_computed_from()
    {
        using HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.0002).Create();
        List<double> ranks = [];
        ulong[] values = new ulong[2_000];
        List<string> wrong = [];
        for (int total = 1; total <= values.Length; total++)
        {
            histogram.Record((ulong)total);
            ranks.Clear();
            for (int count = 1; count <= total; count++)
            {
                ranks.Add(100.0 * count / total);
            }

            histogram.GetPercentileValues(ranks.ToArray(), values);
            for (int count = 1; count <= total; count++)
            {
                if (values[count - 1] != (ulong)count)
                {
                    wrong.Add($"{count} of {total}: {values[count - 1]}");
                }
            }
        }

        wrong.Take(20).Should().BeEmpty($"{wrong.Count} ranks are wrong");
    }

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
    public void A_larger_rank_never_has_a_smaller_count() => Seeded.Run(5_000, random =>
    {
        ulong total = NextTotal(random);
        double rank = Math.Max(random.Next(1, 100_000_000) / 1e6, 0.001);
        for (int i = 0; i < 3; i++)
        {
            rank = Math.BitDecrement(rank);
        }

        for (ulong last = 0, i = 0; i < 7; i++, rank = Math.BitIncrement(rank))
        {
            ulong count = PercentileRank.ToCount(rank, total);
            count.Should().BeGreaterThanOrEqualTo(last, $"of {rank:R} of {total}");
            last = count;
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
