using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Runs the workload of the article's benchmarks: a million values that are skewed towards 0, recorded in rounds. The result is the
/// best of several runs, because other programs on the machine can only make a run slower.</summary>
internal static class RecordTimes
{
    /// <summary>The number of runs. The best run is the result.</summary>
    public const int Runs = 3;

    /// <summary>Creates the values to record, with the seed and skew of the article, up to a maximum.</summary>
    public static ulong[] SkewedValues(ulong maximum, int count)
    {
        Random random = new(42);
        return [.. Enumerable.Range(0, count).Select(_ => (ulong)(Math.Pow(random.NextDouble(), 3) * maximum))];
    }

    // One loop for each type, because the JIT can inline Record only if it knows the type of the histogram.
    public static void RecordAll(PlainHdrHistogram<uint> histogram, ulong[] values)
    {
        foreach (ulong value in values)
        {
            histogram.Record(value);
        }
    }

    public static void RecordAll(ThreadLocalHdrHistogram<uint> histogram, ulong[] values)
    {
        foreach (ulong value in values)
        {
            histogram.Record(value);
        }
    }

    public static void RecordAll(InterlockedHdrHistogram<uint> histogram, ulong[] values)
    {
        foreach (ulong value in values)
        {
            histogram.Record(value);
        }
    }

    /// <summary>Measures the best time per record of a histogram, and its footprint afterwards.</summary>
    /// <param name="histogram">The histogram, without records.</param>
    /// <param name="threads">The number of threads. Each thread records all values.</param>
    /// <param name="rounds">The number of times that each thread records all values in one run.</param>
    /// <param name="valueCount">The number of values.</param>
    /// <param name="recordAll">Records all values into the histogram.</param>
    /// <exception cref="InvalidOperationException">Records are missing.</exception>
    public static Figure Best(HdrHistogram histogram, int threads, int rounds, int valueCount, Action recordAll)
    {
        double best = double.MaxValue;
        for (int run = 0; run < Runs; run++)
        {
            best = Math.Min(best, Measure(threads, rounds, recordAll) / valueCount);
        }

        ulong expected = (ulong)Runs * (ulong)threads * (ulong)rounds * (ulong)valueCount;
        ulong counted = histogram.TotalCount + histogram.OverflowCount;
        return counted == expected
            ? new(best, histogram.FootprintInBytes)
            : throw new InvalidOperationException($"Counted {counted:N0} of {expected:N0} records.");
    }

    /// <summary>Measures the time that a call takes on a CPU, in nanoseconds, without the time that threads wait for a CPU. Each thread calls the
    /// action in each round.</summary>
    private static double Measure(int threads, int rounds, Action action)
    {
        // The workers read the clock themselves, because another thread could wake up after they are done.
        using Barrier start = new(threads);
        long[] started = new long[threads];
        long[] ended = new long[threads];
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            int worker = i;
            workers[i] = new Thread(() =>
            {
                start.SignalAndWait();
                started[worker] = Stopwatch.GetTimestamp();
                for (int round = 0; round < rounds; round++)
                {
                    action();
                }

                ended[worker] = Stopwatch.GetTimestamp();
            });
            workers[i].Start();
        }

        foreach (Thread worker in workers)
        {
            worker.Join();
        }

        int busyCpus = Math.Min(threads, Environment.ProcessorCount);
        return NanoScope.TicksToNanos(ended.Max() - started.Min()) * (double)busyCpus / threads / rounds;
    }
}
