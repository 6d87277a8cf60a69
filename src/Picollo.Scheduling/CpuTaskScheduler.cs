namespace Picollo.Scheduling;

/// <summary>A <see cref="TaskScheduler"/> that runs tasks in a pool. Each part of a task between two awaits is a task of the
/// pool.</summary>
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
            // The task resumes from an await after the pool has ended. Run the rest in the thread pool, because no code would observe an
            // exception here, and the task would never end.
            _ = Task.Factory.StartNew(() => TryExecuteTask(task), CancellationToken.None, TaskCreationOptions.DenyChildAttach, Default);
        }
    }

    // Runs inline on a worker, which would otherwise wait for another worker. The queued pool task then does nothing.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Current == this && SynchronizationContext.Current is null && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    // Removes the context of the pool's task, which ends with this part. An await then continues in another task of the pool.
    private void Execute(Task task)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        _ = TryExecuteTask(task);
    }
}
