namespace Picollo.Scheduling;

/// <summary>The options of a <see cref="CpuWorkerPool"/>.</summary>
/// <remarks>Copied when it is used: a later change has no effect on pools that were created before.</remarks>
public sealed class CpuWorkerPoolOptions
{
    /// <summary>Maximum number of tasks that run at a time, each on its own thread: 1 to 1024. Default: three quarters of
    /// <see cref="Environment.ProcessorCount"/>, at least one, so that the rest of the process always finds a processor.</summary>
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

    /// <summary>Maximum number of threads that run other tasks in the place of bodies that block their workers: 0 to 1024. Default: twice
    /// <see cref="WorkerCount"/>, at least 16. Tasks that a blocked body has started, and may wait for, get threads beyond it.</summary>
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

    /// <summary>The time that a task may run while others of its kind wait: 1 ms to 10 s, default 10 ms. A slice ends at the checkpoint
    /// that follows, and up to a millisecond late, the timer's step. The rest of an interrupted slice can end up to a whole slice
    /// late.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan TimeSlice
    {
        get;
        set => field = CheckSlice(value, nameof(TimeSlice));
    } = TimeSpan.FromMilliseconds(10);

    /// <summary>The pool's name, in its threads' names and in its metrics. Default "CPU worker".</summary>
    /// <exception cref="ArgumentException">The value is null or empty.</exception>
    public string Name
    {
        get;
        set
        {
            ArgumentException.ThrowIfNullOrEmpty(value, nameof(Name));
            field = value;
        }
    } = "CPU worker";

    /// <summary>Starts a thread without the flow of the caller; throws if the system has no more threads. Tests replace it.</summary>
    internal Action<Thread> StartThread { get; set; } = static thread => thread.UnsafeStart();

    internal static TimeSpan CheckSlice(TimeSpan slice, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(slice, TimeSpan.FromMilliseconds(1), name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(slice, TimeSpan.FromSeconds(10), name);
        return slice;
    }
}
