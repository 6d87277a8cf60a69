namespace Picollo.Scheduling;

/// <summary>The options of a <see cref="CpuWorkerPool"/>.</summary>
/// <remarks>The options are copied when they are used. A later change has no effect on existing pools.</remarks>
public sealed class CpuWorkerPoolOptions
{
    /// <summary>The maximum number of tasks that run at a time, each on its own thread: 1 to 1024. The default is three quarters of
    /// <see cref="Environment.ProcessorCount"/>, at least one, so that processors remain available to the rest of the process.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int WorkerCount
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(WorkerCount));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1024, nameof(WorkerCount));
            field = value;
        }
    } = Math.Max(1, Environment.ProcessorCount * 3 / 4);

    /// <summary>The maximum number of extra threads that run other tasks in place of bodies that block their workers: 0 to 1024. The
    /// default is twice <see cref="WorkerCount"/>, at least 16. The limit does not apply to tasks that a blocked body has started, because
    /// the body may wait for them.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxExtraThreads
    {
        get => field < 0 ? Math.Max(16, 2 * WorkerCount) : field;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value, nameof(MaxExtraThreads));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1024, nameof(MaxExtraThreads));
            field = value;
        }
    } = -1;

    /// <summary>The time that a task may run while other tasks of its kind wait: 1 ms to 10 s, 10 ms by default. A slice ends at the task's
    /// first checkpoint after this time. The timer can delay the end by up to a millisecond, its resolution. If a
    /// short task interrupts a slice, the rest of the slice can end late, by up to a whole slice.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan TimeSlice
    {
        get;
        set => field = CheckSlice(value, nameof(TimeSlice));
    } = TimeSpan.FromMilliseconds(10);

    /// <summary>The name of the pool, which is used in the names of its threads and in its metrics. "CPU worker" by default.</summary>
    /// <exception cref="ArgumentException">The value is <see langword="null"/> or empty.</exception>
    public string Name
    {
        get;
        set
        {
            ArgumentException.ThrowIfNullOrEmpty(value, nameof(Name));
            field = value;
        }
    } = "CPU worker";

    /// <summary>A delegate that starts a thread without the caller's execution context, and throws if the system cannot create another
    /// thread. Tests replace it.</summary>
    internal Action<Thread> StartThread { get; set; } = static thread => thread.UnsafeStart();

    /// <summary>A delegate that is called at each <see cref="Seam"/>, on the thread of the pool. Tests set it.</summary>
    internal Action<Seam>? AtSeam { get; set; }

    internal static TimeSpan CheckSlice(TimeSpan slice, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(slice, TimeSpan.FromMilliseconds(1), name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(slice, TimeSpan.FromSeconds(10), name);
        return slice;
    }
}

/// <summary>A point at which a test can delay a thread of a pool, to reproduce a race. See
/// <see cref="CpuWorkerPoolOptions.AtSeam"/>.</summary>
internal enum Seam
{
    /// <summary>The timer has read whether a thread waits, and has not taken the lock yet.</summary>
    ThreadRead,

    /// <summary>A step of a body has ended, and the worker has not taken the lock yet.</summary>
    StepEnded,
}
