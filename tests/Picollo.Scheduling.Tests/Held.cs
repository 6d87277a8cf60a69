namespace Picollo.Scheduling.Tests;

/// <summary>A task that occupies one worker without checkpoints until it is released.</summary>
internal sealed class Held : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly Task _task;

    private Held(CpuWorkerPool pool, CpuTaskPriority priority, ManualResetEventSlim started) => _task = pool.RunAsync(
        _ =>
        {
            started.Set();
            _release.Await();
        },
        new CpuTaskOptions { Priority = priority });

    /// <summary>Submits the task, and waits until it has a worker.</summary>
    public static Held Worker(CpuWorkerPool pool, CpuTaskPriority priority = CpuTaskPriority.Normal)
    {
        using var started = new ManualResetEventSlim();
        var held = new Held(pool, priority, started);
        started.Await();
        return held;
    }

    public Task Release()
    {
        _release.Set();
        return _task.Soon();
    }

    public void Dispose()
    {
        _release.Set();
        _task.Wait(Pools.Deadline);
        _release.Dispose();
    }
}
