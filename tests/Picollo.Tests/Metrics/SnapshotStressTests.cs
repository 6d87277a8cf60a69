using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Concurrent use of a snapshot: its updates exclude its reads and the resets of the histogram.</summary>
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
        bool stop = false;
        Thread updater = new(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                snapshot.Update();
            }
        });
        updater.IsBackground = true;
        updater.Start();
        int wrong = 0;
        for (int i = 0; i < Reads; i++)
        {
            bool isWhole = snapshot.TotalCount == Values && snapshot.OverflowCount == 1
                && snapshot.GetSummary(summary).TotalCount == Values && summary.P0.Value == 0;
            wrong += isWhole ? 0 : 1;
        }

        Volatile.Write(ref stop, true);
        updater.Join();
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
}
