using System.Runtime.CompilerServices;

#pragma warning disable CA1068 // As in CpuWorkerPool.cs.

namespace Picollo.Scheduling;

/// <content>Loops.</content>
public sealed partial class CpuWorkerPool
{
    /// <summary>Calls a body for each item, <see cref="WorkerCount"/> at a time, as <see cref="Parallel"/> does, with a checkpoint after
    /// each.</summary>
    /// <typeparam name="TItem">The type of the items.</typeparam>
    /// <param name="source">The items. Enumerated once, on the workers, by one at a time, as items are needed. An asynchronous source gets
    /// a token that is cancelled with the loop, with the pool, and after an exception.</param>
    /// <param name="body">The work for an item. It needs its own checkpoints if an item is more than some 100 µs of work.</param>
    /// <param name="cancellationToken">Cancels the loop at the next checkpoint.</param>
    /// <param name="priority">As for <c>RunAsync</c>.</param>
    /// <param name="name">As for <c>RunAsync</c>.</param>
    /// <returns>A task that completes when all items are done. After an exception no further item is started, and it has all
    /// exceptions.</returns>
    /// <remarks>A loop is <see cref="WorkerCount"/> tasks in the statistics, whatever the number of items.</remarks>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <exception cref="ArgumentNullException">The source, the body or the name is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The priority is not one of the three.</exception>
    [OverloadResolutionPriority(TaskBody)]
    public Task ForEachAsync<TItem>(
        IEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, Task> body,
        CancellationToken cancellationToken = default,
        CpuPriority priority = CpuPriority.Normal,
        [CallerMemberName] string name = "") =>
        ForEachAsync(source.ToAsyncEnumerable(), body, cancellationToken, priority, name);

    /// <inheritdoc
    /// cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CancellationToken, CpuPriority, string)"/>
    public Task ForEachAsync<TItem>(
        IEnumerable<TItem> source,
        Action<TItem, CpuTaskContext> body,
        CancellationToken cancellationToken = default,
        CpuPriority priority = CpuPriority.Normal,
        [CallerMemberName] string name = "")
    {
        ArgumentNullException.ThrowIfNull(body);
        return ForEachAsync(source, Run, cancellationToken, priority, name);

        Task Run(TItem item, CpuTaskContext cpu)
        {
            body(item, cpu);
            return Task.CompletedTask;
        }
    }

    /// <inheritdoc
    /// cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CancellationToken, CpuPriority, string)"/>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task ForEachAsync<TItem>(
        IEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, ValueTask> body,
        CancellationToken cancellationToken = default,
        CpuPriority priority = CpuPriority.Normal,
        [CallerMemberName] string name = "")
    {
        ArgumentNullException.ThrowIfNull(body);
        return ForEachAsync(source, (item, cpu) => body(item, cpu).AsTask(), cancellationToken, priority, name);
    }

    /// <inheritdoc
    /// cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CancellationToken, CpuPriority, string)"/>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task ForEachAsync<TItem>(
        IAsyncEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, ValueTask> body,
        CancellationToken cancellationToken = default,
        CpuPriority priority = CpuPriority.Normal,
        [CallerMemberName] string name = "")
    {
        ArgumentNullException.ThrowIfNull(body);
        return ForEachAsync(source, (item, cpu) => body(item, cpu).AsTask(), cancellationToken, priority, name);
    }

    /// <inheritdoc
    /// cref="ForEachAsync{TItem}(IEnumerable{TItem}, Func{TItem, CpuTaskContext, Task}, CancellationToken, CpuPriority, string)"/>
    [OverloadResolutionPriority(TaskBody)]
    public Task ForEachAsync<TItem>(
        IAsyncEnumerable<TItem> source,
        Func<TItem, CpuTaskContext, Task> body,
        CancellationToken cancellationToken = default,
        CpuPriority priority = CpuPriority.Normal,
        [CallerMemberName] string name = "")
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(body);
        var loop = new ForEachLoop<TItem>(source, body, cancellationToken, _scheduler.Cancellation);
        var parts = new List<Task>(WorkerCount);
        try
        {
            while (parts.Count < WorkerCount)
            {
                parts.Add(RunAsync(loop.Run, cancellationToken, priority, name));
            }
        }
        catch (ObjectDisposedException) when (parts.Count > 0)
        {
            // Closed meanwhile: those that were taken do it all.
        }

        return loop.End(Task.WhenAll(parts));
    }
}
