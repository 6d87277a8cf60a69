namespace Picollo.Scheduling;

/// <summary>How a <see cref="CpuWorkerPool"/> is to be.</summary>
public sealed record CpuWorkerPoolOptions
{
    /// <summary>How many tasks run at a time, each on a thread of its own: 1 to 1024. Default: three quarters of
    /// <see cref="Environment.ProcessorCount"/>, at least one, so that the rest of the process always finds a processor.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside that range.</exception>
    public int WorkerCount
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(WorkerCount));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1024, nameof(WorkerCount));
            field = value;
        }
    } = Math.Max(1, Environment.ProcessorCount * 3 / 4);

    /// <summary>For how long a task may go on while others of its kind wait: 1 ms to 10 s, default 10 ms. It ends at the checkpoint that
    /// follows, and up to a millisecond late, the timer's step; what new tasks left of an interrupted one, up to a whole one
    /// late.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside that range.</exception>
    public TimeSpan TimeSlice
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromMilliseconds(1), nameof(TimeSlice));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromSeconds(10), nameof(TimeSlice));
            field = value;
        }
    } = TimeSpan.FromMilliseconds(10);

    /// <summary>The pool's name, in its threads' names and in its metrics. Default "CPU worker".</summary>
    /// <exception cref="ArgumentException">Null or empty.</exception>
    public string Name
    {
        get;
        init
        {
            ArgumentException.ThrowIfNullOrEmpty(value, nameof(Name));
            field = value;
        }
    } = "CPU worker";
}
