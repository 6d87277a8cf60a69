namespace Picollo.Benchmarks.Scheduling.Contenders;

/// <summary>Without a cap: what a server does that does nothing about it.</summary>
internal sealed class TaskRuns() : Submits("Task.Run")
{
    protected override Task Submit() => Task.Run(static () => { });
}

/// <summary>The simplest cap there is.</summary>
internal sealed class CappedTaskRuns() : Submits("SemaphoreSlim(1) and Task.Run")
{
    private readonly SemaphoreSlim _cap = new(1);

    protected override async Task Submit()
    {
        await _cap.WaitAsync();
        try
        {
            await Task.Run(static () => { });
        }
        finally
        {
            _cap.Release();
        }
    }
}

/// <summary>The framework's own scheduler of one at a time.</summary>
internal sealed class ExclusiveSchedulerStarts() : Submits("ConcurrentExclusiveSchedulerPair, StartNew")
{
    private readonly TaskFactory _factory = new(new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler);

    protected override Task Submit() => _factory.StartNew(static () => { });
}
