using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Snapshots and resets, on one thread.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void Snapshots_with_different_out_of_range_counts_are_not_equal()
    {
        HdrHistogram below = CreateNarrow(), above = CreateNarrow(), same = CreateNarrow();
        below.Record(0);
        above.Record(ulong.MaxValue);
        same.Record(0);
        below.GetSnapshot().Should().Be(same.GetSnapshot()).And.NotBe(above.GetSnapshot());
    }

    /// <summary>Nothing is half done: the counts and times are those before the call.</summary>
    [Fact]
    public void A_clock_that_throws_leaves_histogram_snapshot_and_summary_unchanged()
    {
        var time = new ManualTime { Now = DateTimeOffset.UnixEpoch };
        using HdrHistogram histogram = Factory.WithRelativeError(0.01).WithTimeProvider(time).Create();
        histogram.Record([1, 2]);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSummary summary = histogram.GetSummary();
        string text = summary.ToString("text");
        histogram.Record([3, 4, 5]);
        time.Failure = new InvalidOperationException("test");

        histogram.Invoking(h => h.Reset()).Should().Throw<InvalidOperationException>();
        histogram.TotalCount.Should().Be(5);
        snapshot.Invoking(s => s.Update()).Should().Throw<InvalidOperationException>();
        snapshot.Invoking(s => s.Update(deltas: true)).Should().Throw<InvalidOperationException>();
        (snapshot.TotalCount, snapshot.EndTime).Should().Be((2, DateTimeOffset.UnixEpoch));
        histogram.Invoking(h => h.GetSummary(summary)).Should().Throw<InvalidOperationException>();
        summary.ToString("text").Should().Be(text);
        summary.P100.Value.Should().Be(2);

        time.Failure = null;
        time.Now += TimeSpan.FromSeconds(1);
        snapshot.Update(deltas: true);
        (snapshot.TotalCount, snapshot.StartTime, snapshot.EndTime).Should().Be((3, DateTimeOffset.UnixEpoch, time.Now));
        histogram.Record(6);
        snapshot.Update(deltas: true);
        snapshot.TotalCount.Should().Be(1, "the reset has not happened");
    }

    [Fact]
    public void A_copy_of_a_snapshot_is_independent()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSnapshot copy = snapshot.GetSnapshot();
        copy.Should().Be(snapshot).And.NotBeSameAs(snapshot);
        (copy.StartTime, copy.EndTime, copy.TimestampUtc).Should().Be((snapshot.StartTime, snapshot.EndTime, snapshot.EndTime.UtcDateTime));

        histogram.Record([20_000, 20_000, 1]);
        snapshot.Update(deltas: true);
        copy.TotalCount.Should().Be(1);
        histogram.Record(20_000);
        copy.Update(deltas: true);

        (snapshot.TotalCount, snapshot.UnderflowCount).Should().Be((2UL, 1UL));
        (copy.TotalCount, copy.UnderflowCount).Should().Be((3UL, 1UL), "its previous update is the one of the original");
        copy.Should().NotBe(snapshot);
    }

    [Fact]
    public void A_copy_of_a_snapshot_after_a_reset_has_the_deltas_since_its_own_update()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Reset();
        histogram.Record(20_000);
        HdrHistogramSnapshot copy = histogram.GetSnapshot().GetSnapshot();

        histogram.Record([20_000, 20_000]);
        copy.Update(deltas: true);

        copy.TotalCount.Should().Be(2);
    }

    [Fact]
    public void The_end_of_a_snapshot_is_not_before_its_start_if_the_clock_was_set_back()
    {
        var time = new ManualTime { Now = DateTimeOffset.UnixEpoch.AddHours(1) };
        HdrHistogramSnapshot snapshot = Factory.WithRelativeError(0.01).WithTimeProvider(time).Create().GetSnapshot();

        time.Now = DateTimeOffset.UnixEpoch;
        snapshot.Update();

        (snapshot.StartTime, snapshot.EndTime).Should().Be((DateTimeOffset.UnixEpoch.AddHours(1), DateTimeOffset.UnixEpoch.AddHours(1)));
    }

    [Fact]
    public void A_disposed_snapshot_throws_and_does_not_affect_others()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000);
        HdrHistogramSnapshot other = histogram.GetSnapshot();
        HdrHistogramSnapshot disposed;
        using (HdrHistogramSnapshot snapshot = histogram.GetSnapshot())
        {
            disposed = snapshot;
            snapshot.TotalCount.Should().Be(1);
        }

        disposed.Dispose();
        foreach (Action<HdrHistogramSnapshot> use in new Action<HdrHistogramSnapshot>[]
        {
            it => it.Update(), it => it.GetSummary(), it => it.GetPercentile(50), it => _ = it.TotalCount, it => _ = it.OverflowCount,
            it => it.GetSnapshot(), it => _ = it.Buckets.Count(), it => it.Equals(other),
        })
        {
            disposed.Invoking(use).Should().Throw<ObjectDisposedException>();
        }

        other.Update();
        other.TotalCount.Should().Be(1);
    }

    [Fact]
    public void A_snapshot_supports_all_reads_of_its_histogram()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record([1, 12_000, 20_000, 20_000, 25_000, 40_000]);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();

        ShouldHaveEqualCounts(snapshot, histogram);
        snapshot.Buckets.Should().Equal(histogram.Buckets);
        snapshot.BucketPercentiles.Should().Equal(histogram.BucketPercentiles);
        snapshot.GetPercentile(50).Should().Be(histogram.GetPercentile(50));
        snapshot.GetPercentileRank(20_000).Should().Be(75);
        snapshot.GetCountBetween(12_000, 20_000).Should().Be(3);
        snapshot.GetBucket(1).Should().Be(histogram.GetBucket(1));
        snapshot.GetSummary().ToTable().Should().Be(histogram.GetSummary().ToTable());
        (snapshot.RelativeError, snapshot.BlockSize, snapshot.MinTrackableValue, snapshot.MaxTrackableValue)
            .Should().Be((histogram.RelativeError, histogram.BlockSize, Min, Max));
    }

    [Fact]
    public void A_snapshot_of_a_disposed_histogram_can_be_read_but_not_updated()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        histogram.Dispose();

        snapshot.TotalCount.Should().Be(1);
        snapshot.Invoking(s => s.Update()).Should().Throw<ObjectDisposedException>();
        snapshot.Invoking(s => s.Update(deltas: true)).Should().Throw<ObjectDisposedException>();
        snapshot.TotalCount.Should().Be(1);
    }
}
