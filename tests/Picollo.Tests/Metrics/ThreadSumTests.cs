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

    /// <summary>Returns a different count for each thread: 0 for some, and too large for a counter for others.</summary>
    private static ulong CountOf(int thread, int bucket) =>
        bucket % 1_000 == 999 ? 1UL << (33 + thread) : (ulong)((bucket + thread) % 5 * (thread + 1));

    private static void Fill(HdrHistogram histogram, ulong[] values)
    {
        // The threads remain alive until the last one has finished its work, so that each has its own counters.
        using Barrier allAlive = new(ThreadCount);
        NewThread.RunAll(ThreadCount, thread =>
        {
            for (int i = 0; i < values.Length; i++)
            {
                histogram.Record(values[i], CountOf(thread, i));
            }

            allAlive.SignalAndWait();
        });
    }
}
