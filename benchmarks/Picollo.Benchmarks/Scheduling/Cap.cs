using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>A way to limit computations to N processors. Clients submit tasks; each client submits its next task when it has received its
/// result.</summary>
/// <param name="Name">The name in tables.</param>
/// <param name="Run">Computes a task until it ends or the token is canceled.</param>
internal sealed record Cap(string Name, Func<ChecksumTask, CancellationToken, Task> Run)
{
    public static Cap Of(CpuWorkerPool pool) => new("CpuWorkerPool", (work, stop) => pool.RunAsync(work.ComputeAsync, cancellationToken: stop));

    public static Cap Of(SemaphoreSlim semaphore, int width) => new($"SemaphoreSlim({width}) and Task.Run", async (work, stop) =>
    {
        await semaphore.WaitAsync(stop);
        try
        {
            await Task.Run(() => work.Compute(stop), stop);
        }
        finally
        {
            semaphore.Release();
        }
    });

    public static InterlockedHdrHistogram<uint> CreateHistogram() => HdrHistogram.Factory.WithRelativeError(0.001).WithInterlocked().Create();

    /// <summary>Runs clients until the token is canceled, and records their latencies in nanoseconds. Canceled tasks are not
    /// recorded.</summary>
    public Task RunClients(int clients, ChecksumTask work, InterlockedHdrHistogram<uint> latencies, CancellationToken stop) =>
        Task.WhenAll(Enumerable.Range(0, clients).Select(_ => Task.Run(() => RunClient(work, latencies, stop), CancellationToken.None)));

    private async Task RunClient(ChecksumTask work, InterlockedHdrHistogram<uint> latencies, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            long start = Stopwatch.GetTimestamp();
            await Run(work, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!stop.IsCancellationRequested)
            {
                latencies.Record(NanoScope.TicksToNanos(Stopwatch.GetTimestamp() - start));
            }
        }
    }
}
