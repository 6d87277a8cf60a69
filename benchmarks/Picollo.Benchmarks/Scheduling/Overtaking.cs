using System.Diagnostics;
using Picollo.Metrics;
using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>A task that comes while another has the only worker and makes its checkpoints: how long until its first statement.</summary>
internal static class Overtaking
{
    private const int Repetitions = 2_000;
    private const int WarmUpRepetitions = 300;
    private const double Microsecond = 1e3;
    private const double LimitMicroseconds = 50;

    /// <summary>From one checkpoint to the next: under a microsecond, so that the figure is the hand-over and not the work.</summary>
    private const int WorkBytes = 1_024;

    public static void Print(TextWriter output)
    {
        LatencyTable table = new("A new task behind a running one, to its first statement", "µs", Microsecond);
        table.Add("await cpu.Checkpoint()", Measure(RunAwaiting), LimitMicroseconds, LimitMicroseconds);
        table.Add("cpu.CheckpointBlocking()", Measure(RunBlocking));
        table.Print(output);
    }

    private static PlainHdrHistogram<uint> Measure(Func<CpuWorkerPool, CancellationToken, Task> run)
    {
        using CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        using CancellationTokenSource stop = new();
        Task running = run(pool, stop.Token);
        PlainHdrHistogram<uint> latencies = LatencyTable.CreateHistogram();
        for (int i = -WarmUpRepetitions; i < Repetitions; i++)
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
            await cpu.Checkpoint();
        }
    });

    private static Task RunBlocking(CpuWorkerPool pool, CancellationToken stop) => pool.RunAsync(cpu =>
    {
        byte[] data = new byte[WorkBytes];
        for (uint crc = 0; !stop.IsCancellationRequested;)
        {
            crc = Crc32.Append(crc, data);
            cpu.CheckpointBlocking();
        }
    });
}
