using System.Diagnostics;
using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Cpu.Contenders;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Cpu;

/// <summary>By how much a clock of CPU time advances when it does, at the median.</summary>
internal static class StepFacts
{
    private const ulong LimitNanoseconds = 5_000;
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(1);

    public static void Print(TextWriter output)
    {
        FactTable table = new("Step of the current thread's time, median (the document: 3,800,000)", "ns");
        table.Add("CpuUsage.GetByThread()", MedianStep<ThreadSplit>(), LimitNanoseconds);
        table.Add("CpuUsageReader.GetThreadTime()", MedianStep<ThreadTotal>(), LimitNanoseconds);
        table.Print(output);
    }

    private static ulong MedianStep<TRead>()
        where TRead : struct, IRead
    {
        PlainHdrHistogram<uint> steps = HdrHistogram.Create();
        long start = Stopwatch.GetTimestamp();
        long last = TRead.Read();
        while (Stopwatch.GetElapsedTime(start) < Duration)
        {
            long now = TRead.Read();
            if (now > last)
            {
                steps.Record((ulong)(now - last));
                last = now;
            }
        }

        return steps.GetPercentileValue(50);
    }
}
