namespace Picollo.Scheduling.Tests;

/// <summary>Tests with a pool that has one worker and slices that do not end. The pool ends with the test.</summary>
public abstract class OnePool : IAsyncLifetime
{
    protected CpuWorkerPool Pool { get; } = Pools.Create();

    public Task InitializeAsync() => Task.CompletedTask;

    public virtual Task DisposeAsync() => Pool.DisposeAsync().AsTask().Soon();
}
