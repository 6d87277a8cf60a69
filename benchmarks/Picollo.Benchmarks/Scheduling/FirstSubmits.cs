using System.Diagnostics;
using Picollo.Metrics;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>A task that comes after some milliseconds in which there was none: its worker sleeps, and so does the thread pool.</summary>
internal static class FirstSubmits
{
    private const int Repetitions = 300;
    private const double Microsecond = 1e3;
    private const int IdleMilliseconds = 4;

    public static void Print(TextWriter output)
    {
        using CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        LatencyTable table = new($"The first submit after {IdleMilliseconds} ms without any", "µs", Microsecond);
        Add(table, "CpuWorkerPool.RunAsync", body => pool.RunAsync(_ => body()));
        Add(table, "Task.Run", Task.Run);
        table.Print(output);
    }

    private static void Add(LatencyTable table, string name, Func<Action, Task> submit)
    {
        PlainHdrHistogram<uint> toBegin = LatencyTable.CreateHistogram();
        PlainHdrHistogram<uint> toAwait = LatencyTable.CreateHistogram();
        for (int i = 0; i < Repetitions; i++)
        {
            Thread.Sleep(IdleMilliseconds);
            (long begin, long await) = SubmitOne(submit).GetAwaiter().GetResult();
            toBegin.Record(NanoScope.TicksToNanos(begin));
            toAwait.Record(NanoScope.TicksToNanos(await));
        }

        table.Add($"{name}, to its first statement", toBegin);
        table.Add($"{name}, to what comes after the await", toAwait);
    }

    private static async Task<(long Begin, long Await)> SubmitOne(Func<Action, Task> submit)
    {
        long begun = 0;
        long start = Stopwatch.GetTimestamp();
        await submit(() => begun = Stopwatch.GetTimestamp()).ConfigureAwait(false);
        return (begun - start, Stopwatch.GetTimestamp() - start);
    }
}
