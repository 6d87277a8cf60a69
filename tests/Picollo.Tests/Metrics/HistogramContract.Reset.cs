using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Reset, on one thread.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void A_reset_histogram_is_empty_and_can_record_again()
    {
        HdrHistogram histogram = CreateNarrow();
        for (int round = 0; round < 3; round++)
        {
            histogram.Record([1, 2, 20_000, 25_000, 40_000]);
            histogram.TotalCount.Should().Be(2);
            histogram.UnderflowCount.Should().Be(2);
            histogram.OverflowCount.Should().Be(3);

            histogram.Reset();

            ShouldBeEmpty(histogram);
        }

        histogram.Record(20_000);
        histogram.TotalCount.Should().Be(1, "the next record does not restore earlier counts");
        histogram.GetBucket(20_000).Count.Should().Be(1);
    }

    [Fact]
    public void Every_read_starts_from_0_after_a_reset()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000, Whole + 3);
        histogram.Record(1, 9);
        histogram.Reset();
        histogram.Record(25_000);

        histogram.GetPercentile(0).Bucket.Count.Should().Be(1);
        histogram.GetPercentileRank(20_000).Should().Be(0);
        histogram.GetCountBetween(0, ulong.MaxValue).Should().Be(1);
        histogram.GetBucket(0).Count.Should().Be(0);
        histogram.GetSummary().TotalCount.Should().Be(1);
        histogram.GetSummary().OverflowCount.Should().Be(0);
        histogram.GetSnapshot().TotalCount.Should().Be(1);
    }

    [Fact]
    public void Resets_of_an_empty_histogram_change_nothing()
    {
        HdrHistogram histogram = CreateNarrow();

        histogram.Reset();
        histogram.Reset();

        ShouldBeEmpty(histogram);
    }
}
