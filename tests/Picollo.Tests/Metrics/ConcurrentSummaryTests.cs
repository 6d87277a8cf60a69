using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Summaries that are read directly from counters during writes are consistent, for every code path of the sums.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ConcurrentSummaryTests
{
    private const ulong Low = 100;
    private const ulong Written = 101;

    [Theory]
    [InlineData("plain 64", 1UL << 33, 1_000)] // a count too large for the vectors of 64-bit counters
    [InlineData("interlocked 64", 1UL << 33, 1_000)]
    [InlineData("interlocked 32", 1UL << 20, 1_000)] // a count too large for the vectors of 32-bit counters
    [InlineData("interlocked 32", 1, 102)] // in the same chunk as the written counter, which the search for percentiles reads
    [InlineData("thread-local 64", 1, 102)]
    public void The_maximum_is_correct_while_smaller_values_are_recorded(string variant, ulong lowCount, ulong high)
    {
        const int Summaries = 20_000;
        HdrHistogram histogram = Variants.Factories[variant].WithMaxTrackableValue(1 << 20).Create();
        bool stop = false;
        bool ready = false;
        Thread writer = new(() =>
        {
            histogram.Record(Low, lowCount);
            histogram.Record(high);
            Volatile.Write(ref ready, true);
            while (!Volatile.Read(ref stop))
            {
                histogram.Record(Written, 1_000);
                Thread.SpinWait(100); // a pause, so that many summaries see no write and need no copy
            }
        });
        writer.IsBackground = true;
        writer.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref ready));

        HdrHistogramSummary summary = new();
        ulong before = 0;
        int wrong = 0;
        for (int i = 0; i < Summaries; i++)
        {
            histogram.GetSummary(summary);
            bool isOneMoment = summary.P100.Value == high && summary.P0.Value == Low
                && summary.P100.TargetCount == summary.TotalCount && summary.TotalCount >= before
                && summary.Mean > Low && summary.Mean < high && summary.StDev < high;
            wrong += isOneMoment ? 0 : 1;
            before = summary.TotalCount;
        }

        Volatile.Write(ref stop, true);
        writer.Join();
        wrong.Should().Be(0);
    }
}
