using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Tests that the failure modes of earlier implementations do not occur. Other tests cover the rest of the list: <see
/// cref="StopwatchTicksTests"/> covers mode 4 (ticks above 18 s), the Carries part of <see cref="HistogramContract"/> covers mode 6
/// (counters that wrap), and <see cref="ThreadChurnTests"/> covers mode 8 (changing threads with a concurrent reader and
/// collections).</summary>
[Collection(Alone.Name)]
public class FailureModeTests
{
    [Theory]
    [MemberData(nameof(Variants.ThreadLocal), MemberType = typeof(Variants))]
    [Trait("Category", "Slow")]
    public void Mode_1_two_live_histograms_never_share_a_slot(string variant)
    {
        const int Histograms = 3_000;
        const int KeptEvery = 50;
        HdrHistogramFactory factory = Variants.Factories[variant].WithRelativeError(0.1).WithMaxTrackableValue(1_000);
        List<(HdrHistogram Histogram, ulong Value, ulong Count)> live = [];
        for (int i = 0; i < Histograms; i++)
        {
            HdrHistogram histogram = factory.Create();
            (ulong value, ulong count) = ((ulong)(i % 1_000), (ulong)(i + 1));
            histogram.Record(value, count);
            if (i % KeptEvery == 0)
            {
                live.Add((histogram, value, count));
            }
            else if (i % 2 == 0)
            {
                histogram.Dispose();
                histogram.Invoking(h => h.Record(value)).Should().Throw<ObjectDisposedException>();
            }

            if (i % 500 == 0)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }

        foreach ((HdrHistogram histogram, ulong value, ulong count) in live)
        {
            histogram.TotalCount.Should().Be(count);
            histogram.GetBucket(value).Count.Should().Be(count);
        }
    }

    [Theory]
    [MemberData(nameof(Variants.Concurrent), MemberType = typeof(Variants))]
    public void Mode_2_records_of_threads_that_first_record_after_a_reset_are_counted(string variant)
    {
        HdrHistogram histogram = Variants.Factories[variant].Create();
        histogram.Record(1, 1_000);
        OnNewThreads(4, () => histogram.Record(1, 1_000));
        for (ulong round = 1; round <= 20; round++)
        {
            histogram.Reset();
            OnNewThreads(4, () => histogram.Record(2, round));
            histogram.TotalCount.Should().Be(4 * round);
            histogram.GetBucket(1).Count.Should().Be(0);
        }
    }

    [Theory]
    [MemberData(nameof(Variants.Concurrent), MemberType = typeof(Variants))]
    [Trait("Category", "Slow")]
    public void Mode_3_thousands_of_ended_threads_leave_their_counts_but_no_memory(string variant)
    {
        const int Waves = 150;
        const int AtOnce = 8;
        HdrHistogramFactory factory = Variants.Factories[variant].WithRelativeError(0.01).WithMaxTrackableValue(1UL << 40);
        HdrHistogram histogram = factory.Create();
        HdrHistogramFactory plainFactory = variant.EndsWith("32", StringComparison.Ordinal) ? HdrHistogram.Factory : HdrHistogram.Factory.WithUInt64Storage();
        HdrHistogram one = plainFactory.WithRelativeError(0.01).WithMaxTrackableValue(1UL << 40).Create();
        one.Record(20_000);
        long plain = one.FootprintInBytes;
        using Barrier alive = new(AtOnce);

        for (int wave = 1; wave <= Waves; wave++)
        {
            OnNewThreads(AtOnce, () =>
            {
                histogram.Record(20_000);
                alive.SignalAndWait(); // all of them are alive at the same time and have numbers
                histogram.Record(20_000);
            });
            histogram.TotalCount.Should().Be((ulong)(wave * AtOnce * 2), "counts are kept when their thread ends");
        }

        // The factor 2 is needed because another thread of the process may take the number of an ended thread, whose successor then takes
        // another number.
        histogram.FootprintInBytes.Should().BeLessThanOrEqualTo(((2 * AtOnce) + 1) * plain, "new threads reuse the counters of ended threads");
    }

    [Theory]
    [MemberData(nameof(Variants.ThreadLocal), MemberType = typeof(Variants))]
    [Trait("Category", "Slow")]
    public void Mode_3_concurrent_threads_have_their_own_counters(string variant)
    {
        const int AtOnce = 100;
        HdrHistogramFactory factory = Variants.Factories[variant].WithRelativeError(0.01).WithMaxTrackableValue(1UL << 40);
        HdrHistogram histogram = factory.Create();
        using Barrier alive = new(AtOnce);

        OnNewThreads(AtOnce, () =>
        {
            histogram.Record(1);
            alive.SignalAndWait();
            for (int i = 1; i < 10_000; i++)
            {
                histogram.Record(1);
            }
        });

        histogram.GetBucket(1).Count.Should().Be(AtOnce * 10_000);
        HdrHistogram one = factory.Create();
        one.Record(1);
        histogram.FootprintInBytes.Should().BeLessThanOrEqualTo((AtOnce + 1) * one.FootprintInBytes);
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.056)]
    [InlineData(0.03)]
    [InlineData(0.01)]
    [InlineData(0.001)]
    [InlineData(0.000_1)]
    public void Mode_5_the_default_value_of_a_percentile_is_within_the_relative_error(double asked)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(asked).Create();
        foreach (ulong value in Values.Edges.Skip(1))
        {
            histogram.Reset();
            histogram.Record(value);

            ulong read = histogram.GetPercentileValue(50);
            (Math.Abs((double)read - value) / value).Should().BeLessThanOrEqualTo(asked, "{0} was read as {1}", value, read);
        }
    }

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void Mode_7_a_read_sees_the_previous_record_or_reset(string variant)
    {
        HdrHistogram histogram = Variants.Factories[variant].WithMaxTrackableValue(100_000).Create();
        HdrHistogramSummary summary = new();
        for (ulong round = 0; round < 20; round++)
        {
            for (ulong i = 1; i <= 50; i++)
            {
                histogram.Record(i);
                histogram.TotalCount.Should().Be(i);
                histogram.GetPercentileValue(100).Should().Be(i);
                histogram.GetSummary(summary).TotalCount.Should().Be(i);
            }

            // Another thread also sees it, after synchronization.
            ulong seen = 0;
            OnNewThreads(1, () => seen = histogram.TotalCount);
            seen.Should().Be(50);
            histogram.Reset();
            histogram.GetSummary(summary).TotalCount.Should().Be(0);
            histogram.GetPercentile(100).TargetCount.Should().Be(0);
        }
    }

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void Mode_9_percentiles_above_2_to_the_41st_are_correct(string variant)
    {
        HdrHistogram histogram = Variants.Factories[variant].WithRelativeError(0.001).Create();
        for (int exponent = 30; exponent < 64; exponent++)
        {
            ulong start = 1UL << exponent;
            ulong step = start / 512; // the bucket's width at a block size of 512
            ulong value = start + (7 * step) + 1;
            histogram.Reset();
            histogram.Record(value);

            Percentile percentile = histogram.GetPercentile(50);
            percentile.Bucket.Start.Should().Be(start + (7 * step));
            percentile.Bucket.Step.Should().Be(step);
            percentile.Value.Should().Be(start + (7 * step) + (step / 2));
            histogram.GetSummary().P50.Should().Be(percentile);
            histogram.GetSummary().Mean.Should().Be(percentile.Value);
        }
    }

    private static void OnNewThreads(int count, Action action)
    {
        Thread[] threads = [.. Enumerable.Range(0, count).Select(_ => new Thread(() => action()))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
    }
}
