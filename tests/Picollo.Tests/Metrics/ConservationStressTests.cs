using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Concurrent writers, readers, snapshots and resets: no count is lost, counted twice or invented.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ConservationStressTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromMilliseconds(300);

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void The_sum_of_deltas_is_the_total_and_readers_see_all_earlier_records(string variant)
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

        SpinWait.SpinUntil(() => writers.Finished > 1UL << 32); // counters exceed their width even on a slow machine
        ulong recorded = writers.Stop();
        deltas.Update(deltas: true);
        sumOfDeltas += deltas.TotalCount + deltas.OverflowCount;
        sumOfDeltas.Should().Be(recorded);
        (histogram.TotalCount + histogram.OverflowCount).Should().Be(recorded);
    }

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void After_a_reset_only_later_records_are_counted(string variant)
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

                    // Records that started after the reset and finished before the read are included; records that finished before the
                    // reset are not. An old count that a writer restored would exceed the upper bound.
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

    /// <summary>A plain histogram supports one writer: concurrent ones lose some of each other's records, but invent none.</summary>
    [Theory]
    [InlineData("plain 32")]
    [InlineData("plain 64")]
    public void Lost_records_do_not_wrap_to_huge_counts_after_a_reset(string variant)
    {
        HdrHistogram histogram = Create(variant);
        HdrHistogramSnapshot deltas = histogram.GetSnapshot();
        using Writers writers = new(histogram, count: 4, large: false);
        Until(TimeSpan.FromSeconds(2), () =>
        {
            // A writer that restores an old count sets the counter below the baseline of the reset or the update.
            histogram.Reset();
            Thread.Sleep(1);
            histogram.TotalCount.Should().BeLessThanOrEqualTo(writers.Begun);
            deltas.Update();
            Thread.Yield();
            deltas.Update(deltas: true);
            deltas.TotalCount.Should().BeLessThanOrEqualTo(writers.Begun);
        });

        writers.Stop();
    }
}
