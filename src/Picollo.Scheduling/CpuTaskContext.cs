using System.Runtime.CompilerServices;

namespace Picollo.Scheduling;

/// <summary>The access of a body in a <see cref="CpuWorkerPool"/> to its checkpoints and its usage so far.</summary>
/// <remarks>A reference in a struct; copies are equal. Valid in the body and what it awaits, until the body ends; its parts call it one at
/// a time. A default value belongs to no task: its members, except comparisons, throw <see cref="NullReferenceException"/>.</remarks>
public readonly struct CpuTaskContext : IEquatable<CpuTaskContext>
{
    private readonly CpuTask _task;

    internal CpuTaskContext(CpuTask task) => _task = task;

    /// <summary>Cancelled when the caller cancels the task, or the pool cancels the remaining tasks. Pass it on to other calls; checkpoints
    /// observe it themselves. The first use allocates if the caller gave a token.</summary>
    public CancellationToken CancellationToken => _task.Cancellation;

    /// <summary>The task's name: <see cref="CpuTaskOptions.Name"/>, or the type and method of its body.</summary>
    public string Name => _task.Name;

    /// <summary>Goes straight on while the time slice lasts; after it, lets waiting tasks run first. Call it every 10 to 100 µs of work: it
    /// costs about a nanosecond and allocates nothing, and how soon a short task gets a worker depends on it.</summary>
    /// <returns>A value to await at once.</returns>
    /// <exception cref="OperationCanceledException">The task is cancelled.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public CpuCheckpoint CheckpointAsync() => _task.NeedsAttention ? CheckpointWithAttention(_task) : default;

    /// <summary><see cref="CheckpointAsync"/> for a body that is not async. When it gives its worker up, its thread waits and another takes
    /// the worker. That takes some 10 µs instead of 3, and a thread for each stopped body. A pool stops at most 64 bodies at a time;
    /// further ones go on.</summary>
    /// <exception cref="OperationCanceledException">The task is cancelled.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Checkpoint()
    {
        if (_task.NeedsAttention)
        {
            _task.Scheduler.StepAsideBlocking(_task);
        }
    }

    /// <summary>Runs waiting work, such as I/O, in the thread pool and not on a worker. The worker is free meanwhile, and the body queues
    /// for a worker when it awaits the result.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="wait">The work. It is not called if the caller has cancelled the task by then.</param>
    /// <returns>A task with the work's result, exception or cancellation. Await it without <c>ConfigureAwait(false)</c>, which would leave
    /// the body off the workers until its next checkpoint, or the one after if the worker has not quite left the body at the
    /// next.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="wait"/> is <see langword="null"/>.</exception>
    public Task<T> Outside<T>(Func<Task<T>> wait)
    {
        ArgumentNullException.ThrowIfNull(wait);
        return Task.Run(() => wait() ?? throw NoTask(), _task.Token);
    }

    /// <inheritdoc cref="Outside{T}(Func{Task{T}})"/>
    public Task Outside(Func<Task> wait)
    {
        ArgumentNullException.ThrowIfNull(wait);
        return Task.Run(() => wait() ?? throw NoTask(), _task.Token);
    }

    /// <summary>Gets the task's usage so far. Costs a system call, the pool's lock and an allocation: too much for every
    /// checkpoint.</summary>
    /// <returns>The usage of all its slices, including the current one if called on its worker.</returns>
    public CpuTaskUsage GetUsage() => _task.Scheduler.GetUsage(_task);

    /// <inheritdoc/>
    public bool Equals(CpuTaskContext other) => _task == other._task;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CpuTaskContext other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _task.GetHashCode();

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

    private static InvalidOperationException NoTask() => new("What was to be awaited outside returned no task.");

    // Separate, so that only the check is inlined.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CpuCheckpoint CheckpointWithAttention(CpuTask task) =>
        task.Scheduler.StepsAside(task) ? new CpuCheckpoint(task) : default;
}
