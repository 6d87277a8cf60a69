using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Writers, readers, snapshots and resets at the same time: no count is lost, doubled or made up.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ConservationStressTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromMilliseconds(300);

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void Deltas_add_up_and_readers_see_all_that_was_recorded_before(string variant)
    {
        HdrHistogram histogram = Create(variant);
        HdrHistogramSnapshot deltas = histogram.GetSnapshot();
        ulong sumOfDeltas = 0;
        using Writers writers = new(histogram, WriterCount(variant), large: true);

        Parallel.Invoke(
            () => Until(Duration, () =>
            {
                deltas.Update(deltas: true);
                sumOfDeltas += deltas.TotalCount + deltas.OverflowCount;
            }),
            () => ReadMonotonically(histogram, writers),
            () => ReadMonotonically(histogram, writers));

        SpinWait.SpinUntil(() => writers.Finished > 1UL << 32); // counters pass their width also on a slow machine
        ulong recorded = writers.Stop();
        deltas.Update(deltas: true);
        sumOfDeltas += deltas.TotalCount + deltas.OverflowCount;
        sumOfDeltas.Should().Be(recorded);
        (histogram.TotalCount + histogram.OverflowCount).Should().Be(recorded);
    }

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void After_a_reset_there_is_what_was_recorded_since_and_nothing_of_before(string variant)
    {
        HdrHistogram histogram = Create(variant);
        HdrHistogramSummary summary = new();
        using Writers writers = new(histogram, WriterCount(variant), large: false);
        int resets = 0;

        Parallel.Invoke(
            () => Until(Duration, () =>
            {
                ulong finishedBefore = writers.Finished;
                histogram.Reset();
                ulong begunBefore = writers.Begun;
                for (int i = 0; i < 3; i++)
                {
                    ulong finished = writers.Finished;
                    histogram.GetSummary(summary);
                    ulong begun = writers.Begun;
                    ulong total = summary.TotalCount + summary.OverflowCount;

                    // What began after the reset and finished before the read is there; what finished before the reset is
                    // not. An old count that a writer had put back would break the upper bound.
                    (total + begunBefore).Should().BeGreaterThanOrEqualTo(finished);
                    (total + finishedBefore).Should().BeLessThanOrEqualTo(begun);
                    summary.P100.TargetCount.Should().Be(summary.TotalCount);
                }

                resets++;
            }),
            () => Until(Duration, () =>
            {
                ulong finished = writers.Finished;
                ulong total = histogram.TotalCount;
                total.Should().BeLessThanOrEqualTo(writers.Begun);
                finished.Should().BeLessThanOrEqualTo(writers.Begun);
            }),
            () => Until(Duration, () =>
            {
                Bucket[] buckets = [.. histogram.BucketsWithValues];
                buckets.Aggregate(0UL, (sum, bucket) => sum + bucket.Count).Should().BeLessThanOrEqualTo(writers.Begun);
            }));

        writers.Stop();
        resets.Should().BePositive();
        histogram.Reset();
        histogram.TotalCount.Should().Be(0);
        histogram.BucketsWithValues.Should().BeEmpty();
        histogram.OverflowCount.Should().Be(0);
    }

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void Deltas_and_resets_from_one_thread_account_for_everything(string variant)
    {
        HdrHistogram histogram = Create(variant);
        HdrHistogramSnapshot deltas = histogram.GetSnapshot();
        ulong seen = 0;
        ulong mayBeLost = 0;
        using Writers writers = new(histogram, WriterCount(variant), large: true);

        Until(Duration, () =>
        {
            for (int i = 0; i < 5; i++)
            {
                deltas.Update(deltas: true);
                seen += deltas.TotalCount + deltas.OverflowCount;
            }

            // What comes between the update and the reset is in neither: bounded by what was recorded meanwhile.
            ulong finished = writers.Finished;
            deltas.Update(deltas: true);
            seen += deltas.TotalCount + deltas.OverflowCount;
            histogram.Reset();
            mayBeLost += writers.Begun - finished;
        });

        ulong recorded = writers.Stop();
        deltas.Update(deltas: true);
        seen += deltas.TotalCount + deltas.OverflowCount;
        seen.Should().BeLessThanOrEqualTo(recorded).And.BeGreaterThanOrEqualTo(recorded - mayBeLost);
    }

    [Theory]
    [MemberData(nameof(Variants.Concurrent), MemberType = typeof(Variants))]
    public void Counters_near_their_width_are_carried_exactly_by_many_writers_at_once(string variant)
    {
        const int Threads = 4;
        const ulong Near = 1_000;
        const ulong Width = 1UL << 31;
        const int Rounds = 40;
        HdrHistogram histogram = Create(variant);
        ulong expected = 0;
        for (int round = 0; round < Rounds; round++)
        {
            // In one piece, then in pieces that go to the counter itself.
            ulong fill = Width - Near;
            histogram.Record(20_000, fill);
            for (ulong filled = 0; filled < fill; filled += Writers.LargeCount)
            {
                histogram.Record(20_000, Math.Min(Writers.LargeCount, fill - filled));
            }

            Parallel.For(0, Threads, new ParallelOptions { MaxDegreeOfParallelism = Threads }, _ =>
            {
                for (ulong i = 0; i < Near; i++)
                {
                    histogram.Record(20_000);
                }
            });

            expected += (2 * fill) + (Threads * Near);
            histogram.GetBucket(20_000).Count.Should().Be(expected);
        }
    }

    private static HdrHistogram Create(string variant) => Variants.Factories[variant]
        .WithRelativeError(0.01).WithMinTrackableValue(10_000).WithMaxTrackableValue(30_000).Create();

    private static int WriterCount(string variant) => variant.StartsWith("plain", StringComparison.Ordinal) ? 1 : 3;

    private static void ReadMonotonically(HdrHistogram histogram, Writers writers)
    {
        HdrHistogramSummary summary = new();
        ulong previous = 0;
        Until(Duration, () =>
        {
            ulong finished = writers.Finished;
            histogram.GetSummary(summary);
            ulong begun = writers.Begun;
            ulong total = summary.TotalCount + summary.OverflowCount;

            total.Should().BeInRange(finished, begun).And.BeGreaterThanOrEqualTo(previous);
            summary.P100.TargetCount.Should().Be(summary.TotalCount);
            previous = total;
        });
    }

    private static void Until(TimeSpan duration, Action action)
    {
        long end = Environment.TickCount64 + (long)duration.TotalMilliseconds;
        do
        {
            action();
        }
        while (Environment.TickCount64 < end);
    }
}
