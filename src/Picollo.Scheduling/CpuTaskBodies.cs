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
    : CpuTask<TResult>(scheduler, Checked(body), options, token)
{
    private static readonly bool IsValueTask = typeof(TResult) == typeof(ValueTask)
        || (typeof(TResult).IsGenericType && typeof(TResult).GetGenericTypeDefinition() == typeof(ValueTask<>));

    private TResult _result = default!;

    protected override TResult Result => _result;

    protected override Task? Begin()
    {
        _result = body(new CpuTaskContext(this));
        return null;
    }

    // Otherwise, the task would end at the first await of the body.
    private static Func<CpuTaskContext, TResult> Checked(Func<CpuTaskContext, TResult> body) => !IsValueTask ? body
        : throw new ArgumentException(
            "The body returns a ValueTask. Use an async lambda, such as async cpu => await WorkAsync(cpu).", nameof(body));
}
