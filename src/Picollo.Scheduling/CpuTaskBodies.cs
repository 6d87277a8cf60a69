namespace Picollo.Scheduling;

// The kinds of bodies, each called without a closure. A body that returns a Task<TResult> is one that returns a Task.

internal sealed class AsyncCpuTask<TResult>(
    CpuScheduler scheduler, Func<CpuTaskContext, Task> body, string name, CpuPriority priority, CancellationToken token)
    : CpuTask<TResult>(scheduler, name, priority, token)
{
    protected override Task? Begin() => body(new CpuTaskContext(this)) ?? throw new InvalidOperationException("The body returned no task.");
}

internal sealed class SyncCpuTask(
    CpuScheduler scheduler, Action<CpuTaskContext> body, string name, CpuPriority priority, CancellationToken token)
    : CpuTask<bool>(scheduler, name, priority, token)
{
    protected override Task? Begin()
    {
        body(new CpuTaskContext(this));
        return null;
    }
}

internal sealed class SyncCpuTask<TResult>(
    CpuScheduler scheduler, Func<CpuTaskContext, TResult> body, string name, CpuPriority priority, CancellationToken token)
    : CpuTask<TResult>(scheduler, name, priority, token)
{
    private TResult _result = default!;

    protected override TResult Result => _result;

    protected override Task? Begin()
    {
        _result = body(new CpuTaskContext(this));
        return null;
    }
}
