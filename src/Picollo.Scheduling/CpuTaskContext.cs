using System.Runtime.CompilerServices;

namespace Picollo.Scheduling;

/// <summary>The access of a body in a <see cref="CpuWorkerPool"/> to its checkpoints and its usage so far.</summary>
/// <remarks>A reference in a struct; copies are equal. Valid in the body and what it awaits, until the body ends; its parts call it one at
/// a time. The default value is <see cref="None"/>.</remarks>
public readonly struct CpuTaskContext : IEquatable<CpuTaskContext>
{
    // Null for None.
    private readonly CpuTask? _task;

    internal CpuTaskContext(CpuTask task) => _task = task;

    /// <summary>The context of no task, with which a test can call a body without a pool. Its checkpoints go straight on, its
    /// <see cref="CancellationToken"/> is never cancelled, its <see cref="Name"/> is empty and its usage is zero. Always valid, and
    /// thread-safe.</summary>
    /// <remarks>
    /// <example>
    /// <code>
    /// uint checksum = await ComputeChecksumAsync(blocks, CpuTaskContext.None);
    /// </code>
    /// </example>
    /// </remarks>
    public static CpuTaskContext None => default;

    /// <summary>Cancelled when the caller cancels the task, or the pool cancels the remaining tasks. Pass it on to other calls; checkpoints
    /// observe it themselves. The first use allocates if the caller gave a token.</summary>
    public CancellationToken CancellationToken => _task?.Cancellation ?? CancellationToken.None;

    /// <summary>The task's name: <see cref="CpuTaskOptions.Name"/>, or the type and method of its body.</summary>
    public string Name => _task?.Name ?? "";

    /// <summary>Goes straight on while the time slice lasts; after it, lets waiting tasks run first. Call it every 10 to 100 µs of work: it
    /// costs about a nanosecond and allocates nothing, and how soon a short task gets a worker depends on it.</summary>
    /// <returns>A value to await at once.</returns>
    /// <exception cref="OperationCanceledException">The task is cancelled.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public CpuCheckpoint CheckpointAsync() =>
        _task is { NeedsAttention: true } task ? CheckpointWithAttention(task) : default;

    /// <summary><see cref="CheckpointAsync"/> for a body that is not async. When it gives its worker up, its thread waits and another takes
    /// the worker. That takes some 10 µs instead of 3, and a thread for each stopped body. A pool stops at most 64 bodies at a time;
    /// further ones go on.</summary>
    /// <remarks>While the thread holds a lock that other tasks of the pool take, each stop costs 30 to 50 ms: only then is the worker that
    /// waits for the lock found to be blocked.</remarks>
    /// <exception cref="OperationCanceledException">The task is cancelled.</exception>
    /// <exception cref="OutOfMemoryException">The system has no more threads.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Checkpoint()
    {
        if (_task is { NeedsAttention: true } task)
        {
            task.Scheduler.StepAsideBlocking(task);
        }
    }

    /// <summary>Runs waiting work, such as I/O, in the thread pool and not on a worker. The worker is free meanwhile, and the body queues
    /// for a worker when it awaits the result. <see cref="None"/> calls it directly, on the current thread.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="function">The work, with the task's <see cref="CancellationToken"/> as its argument. It is not called if the caller
    /// has cancelled the task by then.</param>
    /// <returns>A task with the work's result, exception or cancellation. Await it without <c>ConfigureAwait(false)</c>: with it the body
    /// goes on in the thread pool until its next or next but one checkpoint.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is <see langword="null"/>.</exception>
    public Task<T> RunOutsideAsync<T>(Func<CancellationToken, Task<T>> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (_task is not { } task)
        {
            return CallAsync(function);
        }

        CancellationToken token = task.Cancellation; // Read here: it is valid only until the body ends.
        return Task.Run(() => function(token) ?? throw NoTask(), task.Token);
    }

    /// <inheritdoc cref="RunOutsideAsync{T}(Func{CancellationToken, Task{T}})"/>
    public Task RunOutsideAsync(Func<CancellationToken, Task> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (_task is not { } task)
        {
            return CallAsync(function);
        }

        CancellationToken token = task.Cancellation;
        return Task.Run(() => function(token) ?? throw NoTask(), task.Token);
    }

    /// <summary>Gets the task's usage so far. Costs a system call, the pool's lock and an allocation: too much for every
    /// checkpoint.</summary>
    /// <returns>The usage of all its slices, including the current one if called on its worker; zero for <see cref="None"/>.</returns>
    public CpuTaskUsage GetUsage() => _task is { } task ? task.Scheduler.GetUsage(task) : default;

    /// <inheritdoc/>
    public bool Equals(CpuTaskContext other) => _task == other._task;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CpuTaskContext other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _task?.GetHashCode() ?? 0;

    /// <summary>Whether two are of the same task.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other.</param>
    /// <returns>True if they are.</returns>
    public static bool operator ==(CpuTaskContext left, CpuTaskContext right) => left.Equals(right);

    /// <summary>Whether two are of different tasks.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other.</param>
    /// <returns>True if they are.</returns>
    public static bool operator !=(CpuTaskContext left, CpuTaskContext right) => !left.Equals(right);

    private static InvalidOperationException NoTask() => new("The function of RunOutsideAsync returned null instead of a task.");

    // Async, so that an exception of the function is in the task, as it is with a pool.
    private static async Task<T> CallAsync<T>(Func<CancellationToken, Task<T>> function) =>
        await (function(CancellationToken.None) ?? throw NoTask()).ConfigureAwait(false);

    private static async Task CallAsync(Func<CancellationToken, Task> function) =>
        await (function(CancellationToken.None) ?? throw NoTask()).ConfigureAwait(false);

    // Separate, so that only the check is inlined.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CpuCheckpoint CheckpointWithAttention(CpuTask task) =>
        task.Scheduler.StepsAside(task) ? new CpuCheckpoint(task) : default;
}

/// <summary>The usage of a <see cref="CpuWorkerPool"/> by one task. Immutable; equal if all values are.</summary>
public readonly record struct CpuTaskUsage
{
    internal CpuTaskUsage(TimeSpan cpuTime, int sliceCount, TimeSpan waitTime) =>
        (CpuTime, SliceCount, WaitTime) = (cpuTime, sliceCount, waitTime);

    /// <summary>CPU time on the workers, by their threads' clocks.</summary>
    public TimeSpan CpuTime { get; }

    /// <summary>Number of slices on a worker.</summary>
    public int SliceCount { get; }

    /// <summary>Time of waiting for a worker, before the first slice and between slices. What the body itself awaited is not
    /// included.</summary>
    public TimeSpan WaitTime { get; }
}
