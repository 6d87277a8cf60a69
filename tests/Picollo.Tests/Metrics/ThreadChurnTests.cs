using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Failure mode 8 of earlier implementations: with changing threads, a concurrent reader and garbage collections, counts are
/// sometimes lost.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ThreadChurnTests
{
    private const int Seconds = 2;
    private const int AtOnce = 12;
    private const int RecordsOfAThread = 500;

    [Fact]
    public void No_count_is_lost_with_changing_threads_a_reader_and_collections()
    {
        ThreadLocalHdrHistogram<uint> histogram = HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create();
        HdrHistogramSnapshot deltas = histogram.GetSnapshot();
        ulong finished = 0;
        ulong begun = 0;
        ulong sumOfDeltas = 0;
        void Write()
        {
            Interlocked.Add(ref begun, RecordsOfAThread);
            for (ulong i = 0; i < RecordsOfAThread; i++)
            {
                histogram.Record(i * i);
            }

            Interlocked.Add(ref finished, RecordsOfAThread);
        }

        IDisposable[] helpers =
        [
            NewThread.Loop(() =>
            {
                ulong least = Volatile.Read(ref finished);
                histogram.TotalCount.Should().BeInRange(least, Volatile.Read(ref begun));
            }),
            NewThread.Loop(() =>
            {
                deltas.Update(deltas: true);
                sumOfDeltas += deltas.TotalCount;
                Thread.Sleep(1);
            }),
            NewThread.Loop(() =>
            {
                GC.Collect(Random.Shared.Next(3));
                GC.WaitForPendingFinalizers();
                Thread.Sleep(5);
            }),
            NewThread.Loop(() =>
            {
                // Other histograms are created, used, and disposed or dropped.
                ThreadLocalHdrHistogram<uint> other = HdrHistogram.Factory.WithRelativeError(0.1).WithThreadLocal().Create();
                other.Record([1, 2, 3]);
                other.TotalCount.Should().Be(3);
                if (Random.Shared.Next(2) == 0)
                {
                    other.Dispose();
                }

                Thread.Sleep(1);
            }),
        ];

        Queue<Thread> writers = new();
        for (long end = Environment.TickCount64 + (1_000 * Seconds); Environment.TickCount64 < end;)
        {
            Thread writer = new(Write);
            writer.Start();
            writers.Enqueue(writer);
            if (writers.Count == AtOnce)
            {
                writers.Dequeue().Join();
            }
        }

        Array.ForEach([.. writers], thread => thread.Join());
        Array.ForEach(helpers, helper => helper.Dispose());
        deltas.Update(deltas: true);
        (sumOfDeltas + deltas.TotalCount).Should().Be(finished);
        histogram.TotalCount.Should().Be(finished);
        histogram.BucketsWithValues.Aggregate(0UL, (sum, bucket) => sum + bucket.Count).Should().Be(finished);
        finished.Should().BePositive();
    }
}
