using System.Runtime.CompilerServices;

namespace Picollo.Scheduling;

/// <summary>What a body that runs in a <see cref="CpuWorkerPool"/> has of the pool: its checkpoints, and what it has taken so
/// far.</summary>
/// <remarks>A reference in a struct; copies are the same. For the body and what it awaits, until the body ends; its parts call it one at a
/// time. A default one is of no task: its members, but for comparisons, throw <see cref="NullReferenceException"/>.</remarks>
public readonly struct CpuTaskContext : IEquatable<CpuTaskContext>
{
    private readonly CpuTask _task;

    internal CpuTaskContext(CpuTask task) => _task = task;

    /// <summary>Cancelled when the caller cancels the task, or the pool cancels what is left. To hand on; checkpoints look by
    /// themselves. The first use allocates, where the caller gave a token.</summary>
    public CancellationToken CancellationToken => _task.Cancellation;

    /// <summary>The task's name, as given to <c>RunAsync</c>.</summary>
    public string Name => _task.Name;

    /// <summary>
    /// To be awaited, in the midst of the work: goes straight on while the time slice lasts, and otherwise, if others wait, lets them go
    /// before. Call it every 10 to 100 µs of work: it costs about a nanosecond and allocates nothing, and how soon a short
    /// task gets a worker depends on it.
    /// </summary>
    /// <returns>To be awaited at once.</returns>
    /// <exception cref="OperationCanceledException">The task is cancelled.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public CpuCheckpoint Checkpoint() => _task.NeedsAttention ? CheckpointWithAttention(_task) : default;

    /// <summary>
    /// <see cref="Checkpoint"/> for a body that is not async. Where it gives its worker up, its thread waits meanwhile and another takes
    /// the worker: some 10 µs instead of 3, and a thread for each body that is stopped so, of which there are 64 at the
    /// most in a pool; further ones are not stopped.
    /// </summary>
    /// <exception cref="OperationCanceledException">The task is cancelled.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void CheckpointBlocking()
    {
        if (_task.NeedsAttention)
        {
            _task.Scheduler.StepAsideBlocking(_task);
        }
    }

    /// <summary>Runs what waits, such as I/O, in the thread pool and not on a worker: the worker is free meanwhile, and the body, when it
    /// awaits the result, queues to come back to one.</summary>
    /// <typeparam name="T">Of the result.</typeparam>
    /// <param name="wait">Is called in the thread pool; not at all if the caller has cancelled the task by then.</param>
    /// <returns>Its result, exception or cancellation; to be awaited, without <c>ConfigureAwait(false)</c>, which would leave the body off
    /// the workers until its next checkpoint, or the one after, where the worker has not quite left the body at the next.</returns>
    /// <exception cref="ArgumentNullException">Nothing to call.</exception>
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

    /// <summary>What the task has taken up to now. A system call, the pool's lock and an allocation: not for every
    /// checkpoint.</summary>
    /// <returns>Of all its slices, the one at hand included where the task asks on its worker.</returns>
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

    // Apart, so that the check alone is inlined.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CpuCheckpoint CheckpointWithAttention(CpuTask task) =>
        task.Scheduler.StepsAside(task) ? new CpuCheckpoint(task) : default;
}
