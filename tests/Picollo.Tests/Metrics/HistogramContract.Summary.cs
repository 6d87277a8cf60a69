using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>GetSummary.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void A_summary_has_the_standard_percentiles()
    {
        HdrHistogram histogram = CreateNarrow();
        Random random = new(1);
        for (int i = 0; i < 200_000; i++)
        {
            histogram.Record(random.NextBetween(Min, Max));
        }

        HdrHistogramSummary summary = histogram.GetSummary();

        (double Rank, Percentile Percentile)[] standard =
        [
            (0, summary.P0), (1, summary.P1), (5, summary.P5), (10, summary.P10), (25, summary.P25), (50, summary.P50),
            (75, summary.P75), (90, summary.P90), (92.5, summary.P925), (95, summary.P95), (97.5, summary.P975),
            (99, summary.P99), (99.9, summary.P999), (99.99, summary.P9999), (99.999, summary.P99999), (100, summary.P100),
        ];
        standard.Should().OnlyContain(each => each.Percentile == histogram.GetPercentile(each.Rank));
    }

    [Fact]
    public void A_summary_has_the_out_of_range_count_and_the_settings_of_the_histogram()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record([1, 20_000, 40_000, 40_000]);

        HdrHistogramSummary summary = histogram.GetSummary();

        summary.TotalCount.Should().Be(1);
        summary.OverflowCount.Should().Be(3);
        summary.Mean.Should().Be(20_096);
        summary.StDev.Should().Be(0);
        (summary.RelativeError, summary.MinTrackableValue, summary.MaxTrackableValue).Should().Be((0.0078125, Min, Max));
    }

    [Fact]
    public void A_reused_summary_is_overwritten_completely()
    {
        HdrHistogram full = CreateNarrow();
        full.Record([1, 20_000, 25_000]);
        HdrHistogramSummary reused = full.GetSummary();
        HdrHistogram empty = CreateWide();

        empty.GetSummary(reused).Should().BeSameAs(reused);

        reused.ToTable().Should().Be(empty.GetSummary().ToTable());
        reused.ToTable().Should().NotBe(full.GetSummary().ToTable());
    }
}
