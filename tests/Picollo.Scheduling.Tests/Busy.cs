namespace Picollo.Scheduling.Tests;

/// <summary>A task that goes from checkpoint to checkpoint until it is stopped.</summary>
internal sealed class Busy
{
    private volatile bool _isStopped;
    private volatile int _slices;

    /// <summary>The task, which returns the number of its slices.</summary>
    public Task<int> Task { get; private set; } = null!;

    /// <summary>The number of slices at the last checkpoint that returned.</summary>
    public int Slices => _slices;

    /// <summary>Submits the task, and waits until it has a worker.</summary>
    public static Busy Start(CpuWorkerPool pool, bool isBlocking = false, CpuTaskOptions? options = null, CancellationToken token = default)
    {
        using var started = new ManualResetEventSlim();
        var busy = new Busy();
        busy.Task = isBlocking
            ? pool.RunAsync(
                cpu =>
                {
                    for (started.Set(); !busy._isStopped; busy._slices = cpu.SliceCount)
                    {
                        cpu.Checkpoint();
                    }

                    return cpu.SliceCount;
                },
                options,
                token)
            : pool.RunAsync(
                async cpu =>
                {
                    for (started.Set(); !busy._isStopped; busy._slices = cpu.SliceCount)
                    {
                        await cpu.CheckpointAsync();
                    }

                    return cpu.SliceCount;
                },
                options,
                token);
        started.Await();
        return busy;
    }

    public void Stop() => _isStopped = true;
}
