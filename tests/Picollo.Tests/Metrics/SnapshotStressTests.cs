using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Snapshots and summaries are consistent during writes, updates and resets.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class SnapshotStressTests
{
    [Fact]
    public void A_read_during_an_update_is_consistent()
    {
        const int Reads = 3_000;
        const ulong Values = 2_000;
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(1_000_000).Create();
        for (ulong value = 0; value < Values; value++)
        {
            histogram.Record(value * 500);
        }

        histogram.Record(uint.MaxValue); // out of range
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSummary summary = new();
        int wrong = 0;
        using (NewThread.Loop(() => snapshot.Update()))
        {
            for (int i = 0; i < Reads; i++)
            {
                bool isWhole = snapshot.TotalCount == Values && snapshot.OverflowCount == 1
                    && snapshot.GetSummary(summary).TotalCount == Values && summary.P0.Value == 0;
                wrong += isWhole ? 0 : 1;
            }
        }

        wrong.Should().Be(0);
    }

    [Fact]
    public void With_concurrent_resets_each_record_is_in_at_most_one_delta()
    {
        const int Laps = 12;
        const int Epochs = 8_192;
        HdrHistogramFactory factory = HdrHistogram.Factory.WithInterlocked().WithSignificantDigits(4).WithMaxTrackableValue(Epochs - 1);
        for (int lap = 0; lap < Laps; lap++)
        {
            HdrHistogram histogram = factory.Create();
            HdrHistogramSnapshot deltas = histogram.GetSnapshot();
            Thread resetter = new(() =>
            {
                for (ulong epoch = 0; epoch < Epochs; epoch++)
                {
                    histogram.Reset();
                    histogram.Record(epoch); // each value once
                }
            });
            resetter.IsBackground = true;
            resetter.Start();
            ulong[] shown = new ulong[Epochs];
            bool isLast;
            do
            {
                isLast = !resetter.IsAlive;
                deltas.Update(deltas: true);
                foreach (Bucket bucket in deltas.BucketsWithValues)
                {
                    shown[bucket.Start] += bucket.Count;
                }
            }
            while (!isLast);

            shown.Max().Should().Be(1);
            shown[^1].Should().Be(1, "no reset followed");
        }
    }

    [Theory]
    [InlineData("plain 64", 1UL << 33, 1_000)] // a count too large for the vectors of 64-bit counters
    [InlineData("interlocked 64", 1UL << 33, 1_000)]
    [InlineData("interlocked 32", 1UL << 20, 1_000)] // a count too large for the vectors of 32-bit counters
    [InlineData("interlocked 32", 1, 102)] // in the same chunk as the written counter, which the search for percentiles reads
    [InlineData("thread-local 64", 1, 102)]
    public void The_maximum_is_correct_while_smaller_values_are_recorded(string variant, ulong lowCount, ulong high)
    {
        const int Summaries = 20_000;
        const ulong Low = 100, Written = 101;
        HdrHistogram histogram = Variants.Factories[variant].WithMaxTrackableValue(1 << 20).Create();
        using ManualResetEventSlim isReady = new();
        HdrHistogramSummary summary = new();
        ulong before = 0;
        int wrong = 0;
        using (NewThread.Loop(() =>
        {
            if (!isReady.IsSet) // all values are recorded by one thread
            {
                histogram.Record(Low, lowCount);
                histogram.Record(high);
                isReady.Set();
            }

            histogram.Record(Written, 1_000);
            Thread.SpinWait(100); // a pause, so that many summaries see no write and need no copy
        }))
        {
            isReady.Wait();
            for (int i = 0; i < Summaries; i++)
            {
                histogram.GetSummary(summary);
                bool isOneMoment = summary.P100.Value == high && summary.P0.Value == Low
                    && summary.P100.TargetCount == summary.TotalCount && summary.TotalCount >= before
                    && summary.Mean > Low && summary.Mean < high && summary.StDev < high;
                wrong += isOneMoment ? 0 : 1;
                before = summary.TotalCount;
            }
        }

        wrong.Should().Be(0);
    }
}
