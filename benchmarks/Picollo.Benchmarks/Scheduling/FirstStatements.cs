using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Measures the time until the first statement of a task, if the worker is asleep or busy.</summary>
internal static class FirstStatements
{
    private const int SubmitRepetitions = 300;
    private const int OvertakingRepetitions = 2_000;
    private const int OvertakingWarmUpRepetitions = 300;
    private const double Microsecond = 1e3;
    private const double LimitMicroseconds = 50;
    private const int IdleMilliseconds = 4;

    /// <summary>The number of bytes between two checkpoints. They take less than a microsecond, so that the figure shows the hand-over, not the
    /// work.</summary>
    private const int WorkBytes = 1_024;

    /// <summary>Submits a task after a few milliseconds without tasks. By then, the worker and the thread pool are asleep.</summary>
    public static void PrintAfterIdling(TextWriter output)
    {
        using CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        LatencyTable table = new($"The first task after {IdleMilliseconds} ms without tasks", "µs", Microsecond);
        Add(table, "CpuWorkerPool.RunAsync", body => pool.RunAsync(_ => body()));
        Add(table, "Task.Run", Task.Run);
        table.Print(output);
    }

    /// <summary>Submits a task while another task holds the only worker and calls checkpoints.</summary>
    public static void PrintOvertaking(TextWriter output)
    {
        LatencyTable table = new("First statement of a task while another task runs", "µs", Microsecond);
        table.Add("await cpu.CheckpointAsync()", Measure(RunAwaiting), LimitMicroseconds, LimitMicroseconds);
        table.Add("cpu.Checkpoint()", Measure(RunBlocking));
        table.Print(output);
    }

    private static void Add(LatencyTable table, string name, Func<Action, Task> submit)
    {
        PlainHdrHistogram<uint> toFirstStatement = LatencyTable.CreateHistogram();
        PlainHdrHistogram<uint> toContinuation = LatencyTable.CreateHistogram();
        for (int i = 0; i < SubmitRepetitions; i++)
        {
            Thread.Sleep(IdleMilliseconds);
            (long firstStatement, long continuation) = SubmitOne(submit).GetAwaiter().GetResult();
            toFirstStatement.Record(NanoScope.TicksToNanos(firstStatement));
            toContinuation.Record(NanoScope.TicksToNanos(continuation));
        }

        table.Add($"{name}, to its first statement", toFirstStatement);
        table.Add($"{name}, to the continuation of the await", toContinuation);
    }

    private static async Task<(long FirstStatement, long Continuation)> SubmitOne(Func<Action, Task> submit)
    {
        long started = 0;
        long submitted = Stopwatch.GetTimestamp();
        await submit(() => started = Stopwatch.GetTimestamp()).ConfigureAwait(false);
        return (started - submitted, Stopwatch.GetTimestamp() - submitted);
    }

    private static PlainHdrHistogram<uint> Measure(Func<CpuWorkerPool, CancellationToken, Task> run)
    {
        using CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        using CancellationTokenSource stop = new();
        Task running = run(pool, stop.Token);
        PlainHdrHistogram<uint> latencies = LatencyTable.CreateHistogram();
        for (int i = -OvertakingWarmUpRepetitions; i < OvertakingRepetitions; i++)
        {
            // Long enough for the other task to run again.
            Thread.Sleep(1);
            long submitted = Stopwatch.GetTimestamp();
            long started = pool.RunAsync(static _ => Stopwatch.GetTimestamp()).GetAwaiter().GetResult();
            if (i >= 0)
            {
                latencies.Record(NanoScope.TicksToNanos(started - submitted));
            }
        }

        stop.Cancel();
        running.GetAwaiter().GetResult();
        return latencies;
    }

    // The token is not passed to the pool, because checkpoints should not check it in this measurement.
    private static Task RunAwaiting(CpuWorkerPool pool, CancellationToken stop) => pool.RunAsync(async cpu =>
    {
        byte[] data = new byte[WorkBytes];
        for (uint crc = 0; !stop.IsCancellationRequested;)
        {
            crc = Crc32.Append(crc, data);
            await cpu.CheckpointAsync();
        }
    }, cancellationToken: CancellationToken.None);

    private static Task RunBlocking(CpuWorkerPool pool, CancellationToken stop) => pool.RunAsync(cpu =>
    {
        byte[] data = new byte[WorkBytes];
        for (uint crc = 0; !stop.IsCancellationRequested;)
        {
            crc = Crc32.Append(crc, data);
            cpu.Checkpoint();
        }
    }, cancellationToken: CancellationToken.None);
}
