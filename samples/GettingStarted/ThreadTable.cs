using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>
/// What a record costs where several threads share one histogram, thread-local and interlocked, over a wide and a narrow
/// range of values; printed beside the figures of the article that introduced Picollo.
/// </summary>
public static class ThreadTable
{
    private const int Runs = 3;

    /// <summary>Measures and prints the table.</summary>
    /// <param name="rounds">How often each thread records all values in one run.</param>
    /// <param name="valueCount">How many values there are.</param>
    public static void Run(int rounds = 10, int valueCount = 1_000_000)
    {
        Console.WriteLine($"{Environment.ProcessorCount} CPUs; three significant digits, 32-bit counters; the best of {Runs} runs.");
        Console.WriteLine("ns: time per record. Threads beyond the number of CPUs take turns; waiting for a turn is not counted.");
        Console.WriteLine("Article: Picollo 0.1 and the HdrHistogram library of .NET (legacy), i5-12500 at 3 GHz.");
        Console.WriteLine();
        Console.WriteLine("| Maximum       | Threads | Variant      |    ns |     Bytes | Article ns |     Bytes | Legacy ns |   Bytes |");
        Console.WriteLine("| :------------ | ------: | :----------- | ----: | --------: | ---------: | --------: | --------: | ------: |");
        foreach (ArticleFigures article in ArticleFigures.All)
        {
            ulong[] values = SkewedValues(article.MaxTrackableValue, valueCount);
            var factory = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(article.MaxTrackableValue);

            RecordAll(factory.WithThreadLocal().Create(), values); // compiled and warm, without a trace in what is measured
            var threadLocal = factory.WithThreadLocal().Create();
            double threadLocalNanoseconds = BestOf(Runs, threadLocal, article.Threads, rounds, values, () => RecordAll(threadLocal, values));
            Print(article, "thread-local", threadLocalNanoseconds, threadLocal.FootprintInBytes, article.ThreadLocal);

            RecordAll(factory.WithInterlocked().Create(), values);
            var interlocked = factory.WithInterlocked().Create();
            double interlockedNanoseconds = BestOf(Runs, interlocked, article.Threads, rounds, values, () => RecordAll(interlocked, values));
            Print(article, "interlocked", interlockedNanoseconds, interlocked.FootprintInBytes, article.Interlocked);
        }
    }

    private static ulong[] SkewedValues(ulong maximum, int count)
    {
        Random random = new(42);
        return [.. Enumerable.Range(0, count).Select(_ => (ulong)(Math.Pow(random.NextDouble(), 3) * maximum))];
    }

    // One loop per type: the histogram's own type lets the JIT inline Record.
    private static void RecordAll(ThreadLocalHdrHistogram<uint> histogram, ulong[] values)
    {
        foreach (ulong value in values)
        {
            histogram.Record(value);
        }
    }

    private static void RecordAll(InterlockedHdrHistogram<uint> histogram, ulong[] values)
    {
        foreach (ulong value in values)
        {
            histogram.Record(value);
        }
    }

    private static double BestOf(int runs, HdrHistogram histogram, int threads, int rounds, ulong[] values, Action recordAll)
    {
        double best = double.MaxValue;
        for (int run = 0; run < runs; run++)
        {
            best = Math.Min(best, Measure(threads, rounds, recordAll) / values.Length);
        }

        ulong expected = (ulong)runs * (ulong)threads * (ulong)rounds * (ulong)values.Length;
        ulong counted = histogram.TotalCount + histogram.OverflowCount;
        return counted == expected ? best : throw new InvalidOperationException($"Counted {counted:N0} of {expected:N0} records.");
    }

    /// <summary>Nanoseconds of a CPU per call, with every thread calling so many times.</summary>
    private static double Measure(int threads, int rounds, Action action)
    {
        // The workers read the clock themselves: a thread that only watched could wake up when they are done.
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

    private static void Print(ArticleFigures article, string variant, double nanoseconds, long bytes, Figure picollo) =>
        Console.WriteLine(
            $"| {article.Maximum,-13} | {article.Threads,7} | {variant,-12} | {nanoseconds,5:N1} | {bytes,9:N0} " +
            $"| {picollo.Nanoseconds,10:N1} | {picollo.Bytes,9:N0} | {article.Legacy.Nanoseconds,9:N1} | {article.Legacy.Bytes,7:N0} |");
}
