using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Two ways not to give computations more than so many processors.</summary>
/// <param name="Name">In tables.</param>
/// <param name="Run">Computes, and is cancelled by the token.</param>
internal sealed record Cap(string Name, Func<ChecksumTask, CancellationToken, Task> Run)
{
    public static Cap Of(CpuWorkerPool pool) => new("CpuWorkerPool", (work, stop) => pool.RunAsync(work.ComputeAsync, stop));

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
}
