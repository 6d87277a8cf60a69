namespace Picollo.Scheduling;

/// <summary>A pool as a <see cref="TaskScheduler"/>: each part of a task is a task of the pool.</summary>
internal sealed class CpuTaskScheduler(CpuWorkerPool pool) : TaskScheduler
{
    private static readonly CpuTaskOptions Options = new() { Name = nameof(TaskScheduler) };

    public override int MaximumConcurrencyLevel => pool.WorkerCount;

    protected override void QueueTask(Task task)
    {
        try
        {
            _ = pool.RunAsync(_ => Execute(task), Options);
        }
        catch (ObjectDisposedException)
        {
            // The rest of a task whose await has ended after the pool: an exception here would be nobody's, and the task would never end.
            _ = Task.Factory.StartNew(() => TryExecuteTask(task), CancellationToken.None, TaskCreationOptions.DenyChildAttach, Default);
        }
    }

    // On a worker it would wait for another; what it has been queued as then finds it done.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Current == this && SynchronizationContext.Current is null && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    // Without the context of the pool's task, which ends with this part: an await then goes on in another one.
    private void Execute(Task task)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        _ = TryExecuteTask(task);
    }
}
