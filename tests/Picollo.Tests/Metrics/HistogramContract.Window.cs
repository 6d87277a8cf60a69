using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Windows of the last intervals.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void A_snapshot_of_a_window_starts_with_its_oldest_interval()
    {
        var time = new ManualTime { Now = DateTimeOffset.UnixEpoch };
        HdrHistogram histogram = Factory.WithRelativeError(0.01).WithTimeProvider(time).Create();
        HdrHistogramWindow window = new(histogram, 3);
        for (int i = 0; i < 4; i++)
        {
            time.Now += TimeSpan.FromSeconds(1);
            window.Rotate();
        }

        foreach (int intervals in (int[])[1, 2, 3])
        {
            HdrHistogramSnapshot snapshot = window.GetLast(intervals).GetSnapshot();
            (snapshot.EndTime, snapshot.EndTime - snapshot.StartTime).Should().Be((time.Now, TimeSpan.FromSeconds(intervals)));
        }
    }

    [Fact]
    public void A_window_contains_the_last_ended_intervals() => Seeded.Run(20, random =>
    {
        HdrHistogram histogram = NextHistogram(random);
        int kept = random.Next(1, 6);
        HdrHistogramWindow window = new(histogram, kept);
        ReadOnlyHdrHistogram[] views = [.. Enumerable.Range(1, kept).Select(window.GetLast)];
        var ended = new List<HdrHistogram>();

        for (int round = 0; round < 12; round++)
        {
            HdrHistogram interval = Factory.WithLayoutOf(histogram).Create();
            for (int n = random.Next(20); n > 0; n--)
            {
                ulong value = random.NextMagnitude() >> 20;
                interval.Record(value);
                histogram.Record(value);
            }

            window.Rotate();
            histogram.Record(1); // in the current interval
            ended.Add(interval);
            if (round > 0)
            {
                interval.Record(1);
            }

            foreach ((int i, ReadOnlyHdrHistogram view) in views.Index())
            {
                HdrHistogram expected = Factory.WithLayoutOf(histogram).Create();
                ended.TakeLast(i + 1).ToList().ForEach(expected.Add);
                ShouldHaveEqualCounts(view, expected);
                view.GetSummary().TotalCount.Should().Be(expected.TotalCount);
                view.GetSummary().Mean.Should().Be(expected.GetSummary().Mean);
            }
        }
    });

    [Fact]
    public void A_window_starts_empty_and_contains_only_records_since_a_reset()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(5, 7);
        HdrHistogramWindow window = new(histogram, 2);
        ReadOnlyHdrHistogram last = window.GetLast(1), both = window.GetLast(2);
        ShouldBeEmpty(both);

        histogram.Record(6);
        histogram.Reset();
        histogram.Record(7, 2);
        window.Rotate();
        last.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count)).Should().Equal((7, 2));
        window.Rotate();
        ShouldBeEmpty(last);
        both.TotalCount.Should().Be(2);
    }

    [Fact]
    public void A_snapshot_of_a_window_keeps_its_counts_and_is_not_updated()
    {
        HdrHistogram histogram = CreateNarrow();
        HdrHistogramWindow window = new(histogram, 2);
        ReadOnlyHdrHistogram both = window.GetLast(2);
        HdrHistogramSnapshot empty = both.GetSnapshot();
        histogram.Record([20_000, ulong.MaxValue]);
        window.Rotate();
        HdrHistogramSnapshot last = window.GetLast(1).GetSnapshot(), snapshot = both.GetSnapshot();
        window.Rotate();
        DateTimeOffset nextStart = window.GetLast(1).GetSnapshot().StartTime;
        window.Rotate();

        empty.TotalCount.Should().Be(0);
        (snapshot.TotalCount, snapshot.OverflowCount).Should().Be((1, 1));
        snapshot.GetBucket(20_000).Count.Should().Be(1);
        snapshot.Should().Be(last).And.Be(snapshot.GetSnapshot());
        (snapshot.StartTime, last.StartTime, nextStart).Should().Be((empty.EndTime, empty.EndTime, last.EndTime));
        snapshot.EndTime.Should().Be(last.EndTime).And.BeOnOrAfter(empty.EndTime);
        ShouldBeEmpty(both);
        snapshot.Invoking(s => s.Update()).Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void Rotating_and_reading_a_window_does_not_allocate()
    {
        HdrHistogram histogram = CreateNarrow();
        HdrHistogramWindow window = new(histogram, 3);
        ReadOnlyHdrHistogram last = window.GetLast(3);
        HdrHistogramSummary summary = new();

        Allocations.InSteadyState(() =>
        {
            histogram.Record(20_000);
            window.Rotate();
            last.GetSummary(summary);
        }).Should().Be(0);
        summary.TotalCount.Should().Be(3);
    }

    [Fact]
    public void Invalid_windows_are_rejected()
    {
        HdrHistogram histogram = CreateWide();
        FluentActions.Invoking(() => new HdrHistogramWindow(null!, 1)).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => new HdrHistogramWindow(histogram, 0)).Should().Throw<ArgumentOutOfRangeException>();
        HdrHistogramWindow window = new(histogram, 2);
        window.Invoking(w => w.GetLast(0)).Should().Throw<ArgumentOutOfRangeException>();
        window.Invoking(w => w.GetLast(3)).Should().Throw<ArgumentOutOfRangeException>();
        histogram.Dispose();
        window.Invoking(w => w.Rotate()).Should().Throw<ObjectDisposedException>();
        ShouldBeEmpty(window.GetLast(2));
    }
}
