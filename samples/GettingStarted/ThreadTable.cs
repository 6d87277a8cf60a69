using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>
/// Measures the time of a record when several threads share one thread-local or interlocked histogram, for a wide and a narrow
/// range of values, and prints it next to the figures of the article that introduced Picollo.
/// </summary>
public static class ThreadTable
{
    /// <summary>Measures and prints the table.</summary>
    /// <param name="rounds">The number of times that each thread records all values in one run.</param>
    /// <param name="valueCount">The number of values.</param>
    public static void Run(int rounds = 10, int valueCount = 1_000_000)
    {
        Console.WriteLine($"{Environment.ProcessorCount} CPUs; three significant digits, 32-bit counters; best of {RecordTimes.Runs} runs.");
        Console.WriteLine("ns: time per record; x: ratio to the time with 1 thread. Other programs can make a run slower.");
        Console.WriteLine("If there are more threads than CPUs, the time that a thread waits for a CPU is not counted.");
        Console.WriteLine("Article: Picollo 0.1 and the HdrHistogram library for .NET (legacy), i5-12500 at 3 GHz.");
        Console.WriteLine();
        Console.WriteLine(
            "| Maximum       | Threads | Variant      |    ns |    x |     Bytes | Article ns |    x |     Bytes | Legacy ns |    x |   Bytes |");
        Console.WriteLine(
            "| :------------ | ------: | :----------- | ----: | ---: | --------: | ---------: | ---: | --------: | --------: | ---: | ------: |");
        (Figure threadLocal1, Figure interlocked1) = (default, default);
        foreach (ThreadFigures article in ThreadFigures.All)
        {
            ulong[] values = RecordTimes.SkewedValues(article.MaxTrackableValue, valueCount);
            var factory = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(article.MaxTrackableValue);

            RecordTimes.RecordAll(factory.WithThreadLocal().Create(), values); // warm-up with a histogram that is not measured
            var threadLocalHistogram = factory.WithThreadLocal().Create();
            Figure threadLocal = RecordTimes.Best(
                threadLocalHistogram, article.Threads, rounds, values.Length, () => RecordTimes.RecordAll(threadLocalHistogram, values));

            RecordTimes.RecordAll(factory.WithInterlocked().Create(), values);
            var interlockedHistogram = factory.WithInterlocked().Create();
            Figure interlocked = RecordTimes.Best(
                interlockedHistogram, article.Threads, rounds, values.Length, () => RecordTimes.RecordAll(interlockedHistogram, values));

            if (article.Threads == 1)
            {
                (threadLocal1, interlocked1) = (threadLocal, interlocked);
            }

            ThreadFigures article1 = article.WithOneThread;
            Print(article, "thread-local", (threadLocal, threadLocal1), (article.ThreadLocal, article1.ThreadLocal));
            Print(article, "interlocked", (interlocked, interlocked1), (article.Interlocked, article1.Interlocked));
        }
    }

    private static void Print(ThreadFigures article, string variant, (Figure, Figure) ours, (Figure, Figure) articles) => Console.WriteLine(
        $"| {article.Maximum,-13} | {article.Threads,7} | {variant,-12} | {Cells(ours, 5, 9)} | {Cells(articles, 10, 9)} " +
        $"| {Cells((article.Legacy, article.WithOneThread.Legacy), 9, 7)} |");

    private static string Cells((Figure Measured, Figure WithOneThread) figures, int nanosecondsWidth, int bytesWidth)
    {
        double ratio = figures.Measured.Nanoseconds / figures.WithOneThread.Nanoseconds;
        return $"{figures.Measured.Nanoseconds.ToString("N1").PadLeft(nanosecondsWidth)} | {ratio,4:N1} " +
            $"| {figures.Measured.Bytes.ToString("N0").PadLeft(bytesWidth)}";
    }
}
