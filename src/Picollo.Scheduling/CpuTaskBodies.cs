namespace Picollo.Scheduling;

// The kinds of bodies, each of which is called without a closure. AsyncCpuTask also handles bodies that return a Task<TResult>. A body that
// wraps the caller's body is named after the caller's body.

internal sealed class AsyncCpuTask<TResult>(
    CpuScheduler scheduler, Func<CpuTaskContext, Task> body, Delegate named, CpuTaskOptions? options, CancellationToken token)
    : CpuTask<TResult>(scheduler, named, options, token)
{
    protected override Task? Begin() =>
        body(new CpuTaskContext(this)) ?? throw new InvalidOperationException("The body returned null instead of a task.");
}

internal sealed class SyncCpuTask(
    CpuScheduler scheduler, Action<CpuTaskContext> body, CpuTaskOptions? options, CancellationToken token)
    : CpuTask<bool>(scheduler, body, options, token)
{
    protected override Task? Begin()
    {
        body(new CpuTaskContext(this));
        return null;
    }
}

internal sealed class SyncCpuTask<TResult>(
    CpuScheduler scheduler, Func<CpuTaskContext, TResult> body, CpuTaskOptions? options, CancellationToken token)
    : CpuTask<TResult>(scheduler, body, options, token)
{
    private TResult _result = default!;

    protected override TResult Result => _result;

    protected override Task? Begin()
    {
        _result = body(new CpuTaskContext(this));
        return null;
    }
}
