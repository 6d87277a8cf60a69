using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Tests of a read that sums the counters of all threads in pieces of a few thousand.</summary>
public class ThreadSumTests
{
    private const int ThreadCount = 3;

    [Theory]
    [InlineData(0)]
    [InlineData(100)] // within the first octave
    [InlineData(1_000_003)] // within a page, and not at a multiple of a vector's length
    public void Counts_of_all_threads_are_summed_in_each_bucket(ulong minTrackableValue)
    {
        ThreadLocalHdrHistogram<uint> histogram = HdrHistogram.Factory.WithMinTrackableValue(minTrackableValue).WithThreadLocal().Create();
        ulong[] starts = [.. histogram.Buckets.Select(bucket => Math.Max(bucket.Start, minTrackableValue))];
        Fill(histogram, starts);

        ulong[] expected = new ulong[starts.Length];
        for (int i = 0; i < starts.Length; i++)
        {
            for (int thread = 0; thread < ThreadCount; thread++)
            {
                expected[i] += CountOf(thread, i);
            }
        }

        histogram.Buckets.Select(bucket => bucket.Count).Should().Equal(expected);
        histogram.OverflowCount.Should().Be(0);
    }

    [Fact]
    public void Each_thread_can_carry_after_a_read_of_all_threads()
    {
        ThreadLocalHdrHistogram<uint> histogram = HdrHistogram.Factory.WithThreadLocal().Create();
        Fill(histogram, [1]);
        ulong before = histogram.TotalCount;
        Thread[] writers = Start(_ => histogram.Record(1, 1UL << 40)); // does not fit in a counter, so it takes the lock of readers
        writers.All(writer => writer.Join(TimeSpan.FromSeconds(30))).Should().BeTrue();
        histogram.TotalCount.Should().Be(before + (ThreadCount * (1UL << 40)));
    }

    /// <summary>Returns a different count for each thread: 0 for some, and too large for a counter for others.</summary>
    private static ulong CountOf(int thread, int bucket) =>
        bucket % 1_000 == 999 ? 1UL << (33 + thread) : (ulong)((bucket + thread) % 5 * (thread + 1));

    private static void Fill(HdrHistogram histogram, ulong[] values)
    {
        Thread[] writers = Start(thread =>
        {
            for (int i = 0; i < values.Length; i++)
            {
                histogram.Record(values[i], CountOf(thread, i));
            }
        });
        Array.ForEach(writers, writer => writer.Join());
    }

    /// <summary>Starts threads that remain alive until the last one has finished its work, so that each has its own counters.</summary>
    private static Thread[] Start(Action<int> work)
    {
        Barrier allAlive = new(ThreadCount);
        Thread[] threads = [.. Enumerable.Range(0, ThreadCount).Select(i => new Thread(() =>
        {
            work(i);
            allAlive.SignalAndWait();
        }) { IsBackground = true })];
        Array.ForEach(threads, thread => thread.Start());
        return threads;
    }
}
