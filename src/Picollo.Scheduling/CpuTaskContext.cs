using System.ComponentModel;

namespace Picollo.Scheduling;

/// <summary>Provides a body in a <see cref="CpuWorkerPool"/> with its checkpoints and its usage so far.</summary>
/// <remarks>The struct contains a reference; copies are equal. It is valid in the body and in the code that the body awaits, until the body
/// ends. It must not be used concurrently. The default value is <see cref="None"/>.</remarks>
public readonly struct CpuTaskContext : IEquatable<CpuTaskContext>
{
    // Null for None.
    private readonly CpuTask? _task;

    internal CpuTaskContext(CpuTask task) => _task = task;

    /// <summary>A context without a task, which a test can use to call a body without a pool. Its checkpoints return immediately, its
    /// <see cref="CancellationToken"/> is never canceled, its <see cref="Name"/> is empty, and its times are zero. Always valid and
    /// thread-safe.</summary>
    /// <remarks>
    /// <example>
    /// <code>
    /// uint checksum = await ComputeChecksumAsync(blocks, CpuTaskContext.None);
    /// </code>
    /// </example>
    /// </remarks>
    public static CpuTaskContext None => default;

    /// <summary>A token that is canceled when the caller cancels the task or the pool cancels the remaining tasks. Pass it to the methods
    /// that the body calls. Checkpoints observe it automatically. Registrations on it are removed when the task ends. The first use
    /// allocates memory.</summary>
    public CancellationToken CancellationToken => _task?.Cancellation ?? CancellationToken.None;

    /// <summary>The task's name: <see cref="CpuTaskOptions.Name"/>, or the type and method of its body.</summary>
    public string Name => _task?.Name ?? "";

    /// <summary>The number of slices on a worker so far, including the current one; zero for <see cref="None"/>.</summary>
    public int SliceCount => _task?.Slices ?? 0;

    /// <summary>The time that the task has waited for a worker so far, before the first slice and between slices; zero for
    /// <see cref="None"/>. It excludes the time that the body awaited other operations.</summary>
    public TimeSpan WaitTime => Stopwatch.GetElapsedTime(0, _task?.WaitTicks ?? 0);

    /// <summary>During the time slice, continues immediately; after the slice has ended, lets waiting tasks run first. Call it every 10 to
    /// 100 µs of work, so that short tasks get a worker soon. It costs about a nanosecond and allocates nothing.</summary>
    /// <returns>A value to await immediately.</returns>
    /// <exception cref="OperationCanceledException">The task is canceled.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public CpuCheckpoint CheckpointAsync() =>
        _task is { NeedsAttention: true } task ? CheckpointWithAttention(task) : default;

    /// <summary>The equivalent of <see cref="CheckpointAsync"/> for a body that is not async. When the body yields its worker, its thread
    /// stops and another thread takes over the worker. This takes about 10 µs instead of 3 µs, and a thread for each stopped body. A pool
    /// stops at most 64 bodies at a time. Further bodies continue to run.</summary>
    /// <remarks>If the thread holds a lock that other tasks of the pool need, each stop costs 30 to 50 ms. The pool needs this time to
    /// detect that the worker that waits for the lock is blocked.</remarks>
    /// <exception cref="OperationCanceledException">The task is canceled.</exception>
    /// <exception cref="OutOfMemoryException">The system cannot create another thread.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Checkpoint()
    {
        if (_task is { NeedsAttention: true } task)
        {
            task.Scheduler.YieldBlocking(task);
        }
    }

    /// <summary>Runs work that waits, such as I/O, in the thread pool instead of on a worker. The worker is free in the meantime, and the
    /// body queues for a worker after the result is available. <see cref="None"/> calls the function directly on the current
    /// thread.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="function">The work. Its argument is the task's <see cref="CancellationToken"/>. It is not called if the caller cancels
    /// the task before it starts.</param>
    /// <returns>A task with the result, exception or cancellation of the work. Await it without <c>ConfigureAwait(false)</c>, which would
    /// make the body continue in the thread pool until its first or second checkpoint.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is <see langword="null"/>.</exception>
    public Task<T> RunOutsideAsync<T>(Func<CancellationToken, Task<T>> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (_task is not { } task)
        {
            return CallAsync(function);
        }

        CancellationToken token = task.Cancellation; // read here, because it is valid only until the body ends
        return Task.Run(() => CallOutside(function, token), task.Token);
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
        return Task.Run(() => CallOutside(function, token), task.Token);
    }

    /// <summary>Returns the CPU time of the task on the workers so far, measured by the CPU clocks of their threads. Costs a system call,
    /// so do not call it at every checkpoint.</summary>
    /// <returns>The time in all slices, including the current one if called on the task's worker; zero for <see cref="None"/>.</returns>
    public TimeSpan GetCpuTime() => _task is { } task ? CpuScheduler.GetCpuTime(task) : default;

    /// <inheritdoc/>
    public bool Equals(CpuTaskContext other) => _task == other._task;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CpuTaskContext other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _task?.GetHashCode() ?? 0;

    /// <summary>Returns whether two contexts belong to the same task.</summary>
    /// <param name="left">The first context.</param>
    /// <param name="right">The second context.</param>
    /// <returns><see langword="true"/> if they belong to the same task; otherwise, <see langword="false"/>.</returns>
    public static bool operator ==(CpuTaskContext left, CpuTaskContext right) => left.Equals(right);

    /// <summary>Returns whether two contexts belong to different tasks.</summary>
    /// <param name="left">The first context.</param>
    /// <param name="right">The second context.</param>
    /// <returns><see langword="true"/> if they belong to different tasks; otherwise, <see langword="false"/>.</returns>
    public static bool operator !=(CpuTaskContext left, CpuTaskContext right) => !left.Equals(right);

    private static TTask CallOutside<TTask>(Func<CancellationToken, TTask> function, CancellationToken token)
    {
        try
        {
            return function(token) ?? throw NoTask();
        }
        finally
        {
            _ = ThreadInterrupts.Clear();
        }
    }

    private static InvalidOperationException NoTask() => new("The function of RunOutsideAsync returned null instead of a task.");

    // Async, so that the task contains an exception that the function throws, as in a pool.
    private static async Task<T> CallAsync<T>(Func<CancellationToken, Task<T>> function) =>
        await (function(CancellationToken.None) ?? throw NoTask()).ConfigureAwait(false);

    private static async Task CallAsync(Func<CancellationToken, Task> function) =>
        await (function(CancellationToken.None) ?? throw NoTask()).ConfigureAwait(false);

    // Separate, so that only the check is inlined.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CpuCheckpoint CheckpointWithAttention(CpuTask task) =>
        task.Scheduler.MustYield(task) ? new CpuCheckpoint(task) : default;
}

/// <summary>The result of <see cref="CpuTaskContext.CheckpointAsync"/>. Await it once, immediately.</summary>
/// <remarks>The struct is its own awaiter, so that nothing is allocated. Awaiting a completed checkpoint only tests a reference.</remarks>
public readonly struct CpuCheckpoint : ICriticalNotifyCompletion
{
    // Null if the task continues without waiting.
    private readonly CpuTask? _task;

    internal CpuCheckpoint(CpuTask task) => _task = task;

    /// <summary>Whether the task continues without waiting. Used by the compiler.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public bool IsCompleted => _task is null;

    /// <summary>Returns the awaiter. Used by the compiler.</summary>
    /// <returns>This value.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public CpuCheckpoint GetAwaiter() => this;

    /// <summary>Ends the await. Used by the compiler.</summary>
    /// <exception cref="OperationCanceledException">The task was canceled while it waited for a worker.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void GetResult() => _task?.ThrowIfCanceled();

    /// <summary>Schedules the continuation. Used by the compiler.</summary>
    /// <param name="continuation">The code that runs when the task gets a worker again.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    /// <inheritdoc cref="OnCompleted"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void UnsafeOnCompleted(Action continuation) =>
        _task!.Scheduler.Resume(_task, static action => ((Action)action!)(), continuation);
}
