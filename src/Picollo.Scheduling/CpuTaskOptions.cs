namespace Picollo.Scheduling;

/// <summary>The options of a task or a loop in a <see cref="CpuWorkerPool"/>.</summary>
/// <remarks>The options are copied when they are used. A later change has no effect on tasks that are already submitted. Several calls and
/// threads may use the same object, as long as none of them changes it.</remarks>
public sealed class CpuTaskOptions
{
    /// <summary>The name in the statistics of tasks that reach their checkpoints late. <see langword="null"/>, the default, for the type
    /// and method of the body. Use few names, not a new name for each request.</summary>
    /// <exception cref="ArgumentException">The value is empty.</exception>
    public string? Name
    {
        get;
        set
        {
            if (value is not null)
            {
                ArgumentException.ThrowIfNullOrEmpty(value, nameof(Name));
            }

            field = value;
        }
    }

    /// <summary>The priority of the task among waiting tasks. <see cref="CpuTaskPriority.Normal"/> by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined in the enumeration.</exception>
    public CpuTaskPriority Priority
    {
        get;
        set => field = Enum.IsDefined(value) ? value : throw new ArgumentOutOfRangeException(nameof(Priority), value, null);
    }

    /// <summary>The task's time slice: 1 ms to 10 s, with a resolution of a microsecond. <see langword="null"/>, the default, for the
    /// pool's <see cref="CpuWorkerPoolOptions.TimeSlice"/>. A longer slice saves switches, but waiting tasks may wait longer by the same
    /// amount.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan? Slice
    {
        get;
        set => field = value is { } slice ? CpuWorkerPoolOptions.CheckSlice(slice, nameof(Slice)) : null;
    }
}

/// <summary>The priority of waiting tasks. Tasks of every priority eventually get a worker (see <see cref="CpuWorkerPool"/>).</summary>
public enum CpuTaskPriority
{
    /// <summary>After all other tasks. Use it for background work.</summary>
    Low = -1,

    /// <summary>The default priority.</summary>
    Normal = 0,

    /// <summary>Before all other tasks.</summary>
    High = 1,
}
