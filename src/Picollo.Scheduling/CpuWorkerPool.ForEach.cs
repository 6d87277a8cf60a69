namespace Picollo.Scheduling;

/// <content>Loops.</content>
public sealed partial class CpuWorkerPool
{
    /// <summary>Calls a body for each item, for up to <see cref="WorkerCount"/> items at a time, as <see cref="Parallel"/> does, with a
    /// checkpoint after each item.</summary>
    /// <typeparam name="TItem">The type of the items.</typeparam>
    /// <param name="source">The items. The source is enumerated once, on the workers, as items are needed, and never concurrently. An
    /// asynchronous source gets a token that is canceled with the loop, with the pool, and after an exception.</param>
    /// <param name="body">The work for an item. It needs its own checkpoints if an item takes more than about 100 µs.</param>
    /// <param name="options">The options of the loop's tasks, which are copied; <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">A token that cancels the loop at the next checkpoint.</param>
    /// <returns>A task that completes when all items are processed. After an exception, no further items are started, the started ones are
    /// canceled at their next checkpoint, and the task contains all exceptions, including the one of the disposal of the source.</returns>
    /// <remarks>In the statistics, a loop counts as <see cref="WorkerCount"/> tasks, for any number of items.</remarks>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <exception cref="ArgumentNullException">The source or the body is <see langword="null"/>.</exception>
    /// <exception cref="OutOfMemoryException">The system cannot create the threads of the pool. The next call tries again.</exception>
    [OverloadResolutionPriority(TaskBody)]
    public Task ForEachAsync<TItem>(
        IEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, Task> body,
        CpuTaskOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Loop(AsItems(source), body, body, options, cancellationToken);

    /// <inheritdoc cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    public Task ForEachAsync<TItem>(
        IEnumerable<TItem> source,
        Action<TItem, CpuTaskContext> body,
        CpuTaskOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Loop(AsItems(source), AsTasks(body), body, options, cancellationToken);

    /// <inheritdoc cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task ForEachAsync<TItem>(
        IEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, ValueTask> body,
        CpuTaskOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Loop(AsItems(source), AsTasks(body), body, options, cancellationToken);

    /// <inheritdoc cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    [OverloadResolutionPriority(TaskBody)]
    public Task ForEachAsync<TItem>(
        IAsyncEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, Task> body,
        CpuTaskOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Loop(source, body, body, options, cancellationToken);

    /// <inheritdoc cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task ForEachAsync<TItem>(
        IAsyncEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, ValueTask> body,
        CpuTaskOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Loop(source, AsTasks(body), body, options, cancellationToken);

    private static SyncSource<TItem>? AsItems<TItem>(IEnumerable<TItem> source) => source is null ? null : new(source);

    private static Func<TItem, CpuTaskContext, Task>? AsTasks<TItem>(Func<TItem, CpuTaskContext, ValueTask> body) =>
        body is null ? null : (item, cpu) => body(item, cpu).AsTask();

    private static Func<TItem, CpuTaskContext, Task>? AsTasks<TItem>(Action<TItem, CpuTaskContext> body)
    {
        return body is null ? null : Run;

        Task Run(TItem item, CpuTaskContext cpu)
        {
            body(item, cpu);
            return Task.CompletedTask;
        }
    }

    private Task Loop<TItem>(
        IAsyncEnumerable<TItem>? source,
        Func<TItem, CpuTaskContext, Task>? body,
        Delegate named,
        CpuTaskOptions? options,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(body);
        var loop = new ForEachLoop<TItem>(source, body, cancellationToken, _scheduler.Cancellation);
        var parts = new List<Task>(WorkerCount);
        try
        {
            while (parts.Count < WorkerCount)
            {
                parts.Add(Submit(body, new AsyncCpuTask<bool>(_scheduler, loop.Run, named, options, loop.Token)));
            }
        }
        catch (ObjectDisposedException) when (parts.Count > 0)
        {
            // The pool was closed in the meantime. The submitted tasks process all items.
        }
        catch when (parts.Count == 0)
        {
            loop.Dispose();
            throw;
        }

        return loop.End(Task.WhenAll(parts));
    }
}
