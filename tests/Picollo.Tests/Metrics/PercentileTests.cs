using System.Globalization;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class PercentileTests
{
    private static readonly Percentile P99 = new(99, 990_000, 990_000, new Bucket(24_832, 256, 14_190, 83, 609));

    [Theory]
    [InlineData(EquivalentValueSelection.Midpoint, 24_960)]
    [InlineData(EquivalentValueSelection.LowerBound, 24_832)]
    [InlineData(EquivalentValueSelection.UpperBound, 25_087)]
    public void A_value_is_chosen_from_the_bucket(EquivalentValueSelection selection, ulong expected) =>
        P99.GetValue(selection).Should().Be(expected);

    [Fact]
    public void The_midpoint_is_the_default()
    {
        Percentile.DefaultEquivalentValueSelection.Should().Be(EquivalentValueSelection.Midpoint);
        P99.Value.Should().Be(24_960);
    }

    [Theory]
    [InlineData(EquivalentValueSelection.Midpoint)]
    [InlineData(EquivalentValueSelection.LowerBound)]
    [InlineData(EquivalentValueSelection.UpperBound)]
    public void An_exact_bucket_has_one_value(EquivalentValueSelection selection) =>
        new Percentile(50, 1, 1, new Bucket(7, 1, 1, 7, 7)).GetValue(selection).Should().Be(7);

    [Theory]
    [InlineData(EquivalentValueSelection.Midpoint)]
    [InlineData(EquivalentValueSelection.LowerBound)]
    [InlineData(EquivalentValueSelection.UpperBound)]
    public void The_default_percentile_is_zero(EquivalentValueSelection selection) =>
        default(Percentile).GetValue(selection).Should().Be(0);

    [Fact]
    public void An_undefined_selection_is_refused() => P99.Invoking(p => p.GetValue((EquivalentValueSelection)3))
        .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("selection");

    [Fact]
    public void All_that_was_read_is_compared()
    {
        P99.Should().Be(new Percentile(99, 990_000, 990_000, P99.Bucket));
        P99.GetHashCode().Should().Be(new Percentile(99, 990_000, 990_000, P99.Bucket).GetHashCode());
        foreach (Percentile other in new Percentile[]
        {
            new(98, 990_000, 990_000, P99.Bucket), new(99, 989_999, 990_000, P99.Bucket), new(99, 990_000, 990_001, P99.Bucket),
            new(99, 990_000, 990_000, new Bucket(24_832, 256, 14_191, 83, 609)),
        })
        {
            P99.Should().NotBe(other);
        }
    }

    [Fact]
    public void The_top_bucket_reaches_2_to_the_64th()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.1).Create();
        histogram.Record(ulong.MaxValue);

        Percentile top = histogram.GetPercentile(100);

        top.GetValue(EquivalentValueSelection.UpperBound).Should().Be(ulong.MaxValue);
        top.ToString().Should().Be(
            "P100=17,870,283,321,406,128,128 [495 / 495]: [17,293,822,569,102,704,640, 18,446,744,073,709,551,616) 1");
    }

    [Theory]
    [InlineData(99, "P99=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(99.99994, "P99.9999=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(99.99999, "P99.99999=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(99.99999999999999, "P99.99999999999999=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(100, "P100=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(99.94138, "P99.9414=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(33.271, "P33.271=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(0, "P0=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(-0.0, "P0=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    public void A_percentile_prints_rank_value_and_bucket(double rank, string expected)
    {
        CultureInfo culture = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = Cultures.German;
            new Percentile(rank, 1, 1, P99.Bucket).ToString().Should().Be(expected);
        }
        finally
        {
            CultureInfo.CurrentCulture = culture;
        }
    }
}
