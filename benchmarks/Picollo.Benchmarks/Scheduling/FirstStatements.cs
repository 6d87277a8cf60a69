using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>The time until the first statement of a task that does not find its worker looking for one.</summary>
internal static class FirstStatements
{
    private const int SubmitRepetitions = 300;
    private const int OvertakingRepetitions = 2_000;
    private const int OvertakingWarmUpRepetitions = 300;
    private const double Microsecond = 1e3;
    private const double LimitMicroseconds = 50;
    private const int IdleMilliseconds = 4;

    /// <summary>From one checkpoint to the next: under a microsecond, so that the figure is the hand-over and not the work.</summary>
    private const int WorkBytes = 1_024;

    /// <summary>A task that comes after some milliseconds in which there was none: its worker sleeps, and so does the thread pool.</summary>
    public static void PrintAfterIdling(TextWriter output)
    {
        using CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        LatencyTable table = new($"The first submit after {IdleMilliseconds} ms without any", "µs", Microsecond);
        Add(table, "CpuWorkerPool.RunAsync", body => pool.RunAsync(_ => body()));
        Add(table, "Task.Run", Task.Run);
        table.Print(output);
    }

    /// <summary>A task that comes while another has the only worker and makes its checkpoints.</summary>
    public static void PrintOvertaking(TextWriter output)
    {
        LatencyTable table = new("A new task behind a running one, to its first statement", "µs", Microsecond);
        table.Add("await cpu.CheckpointAsync()", Measure(RunAwaiting), LimitMicroseconds, LimitMicroseconds);
        table.Add("cpu.Checkpoint()", Measure(RunBlocking));
        table.Print(output);
    }

    private static void Add(LatencyTable table, string name, Func<Action, Task> submit)
    {
        PlainHdrHistogram<uint> toBegin = LatencyTable.CreateHistogram();
        PlainHdrHistogram<uint> toAwait = LatencyTable.CreateHistogram();
        for (int i = 0; i < SubmitRepetitions; i++)
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

    private static PlainHdrHistogram<uint> Measure(Func<CpuWorkerPool, CancellationToken, Task> run)
    {
        using CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        using CancellationTokenSource stop = new();
        Task running = run(pool, stop.Token);
        PlainHdrHistogram<uint> latencies = LatencyTable.CreateHistogram();
        for (int i = -OvertakingWarmUpRepetitions; i < OvertakingRepetitions; i++)
        {
            // Long enough for the running one to be back at work.
            Thread.Sleep(1);
            long start = Stopwatch.GetTimestamp();
            long begun = pool.RunAsync(static _ => Stopwatch.GetTimestamp()).GetAwaiter().GetResult();
            if (i >= 0)
            {
                latencies.Record(NanoScope.TicksToNanos(begun - start));
            }
        }

        stop.Cancel();
        running.GetAwaiter().GetResult();
        return latencies;
    }

    // Not cancelled through the pool: what ends them is to be no checkpoint's business here.
    private static Task RunAwaiting(CpuWorkerPool pool, CancellationToken stop) => pool.RunAsync(async cpu =>
    {
        byte[] data = new byte[WorkBytes];
        for (uint crc = 0; !stop.IsCancellationRequested;)
        {
            crc = Crc32.Append(crc, data);
            await cpu.CheckpointAsync();
        }
    }, CancellationToken.None);

    private static Task RunBlocking(CpuWorkerPool pool, CancellationToken stop) => pool.RunAsync(cpu =>
    {
        byte[] data = new byte[WorkBytes];
        for (uint crc = 0; !stop.IsCancellationRequested;)
        {
            crc = Crc32.Append(crc, data);
            cpu.Checkpoint();
        }
    }, CancellationToken.None);
}
