namespace Picollo.Scheduling;

/// <summary>The options of a task or a loop in a <see cref="CpuWorkerPool"/>.</summary>
/// <remarks>Copied when it is used: a later change has no effect on tasks that were submitted before. Any number of calls and threads may
/// use one object, as long as none of them changes it.</remarks>
public sealed class CpuTaskOptions
{
    /// <summary>The name in the statistics of tasks that come late to their checkpoints. <see langword="null"/>, the default, for the type
    /// and method of the body. Use few names: not one for each request.</summary>
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

    /// <summary>The task's place in the order of waiting tasks. <see cref="CpuTaskPriority.Normal"/> by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not one of the enumeration.</exception>
    public CpuTaskPriority Priority
    {
        get;
        set => field = Enum.IsDefined(value) ? value : throw new ArgumentOutOfRangeException(nameof(Priority), value, null);
    }

    /// <summary>The task's time slice: 1 ms to 10 s, in steps of a microsecond. <see langword="null"/>, the default, for the pool's
    /// <see cref="CpuWorkerPoolOptions.TimeSlice"/>. A long slice saves switches; waiting tasks may wait that much longer.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan? Slice
    {
        get;
        set => field = value is { } slice ? CpuWorkerPoolOptions.CheckSlice(slice, nameof(Slice)) : null;
    }
}

/// <summary>The order of waiting tasks. A task of any priority gets its turn (see <see cref="CpuWorkerPool"/>).</summary>
public enum CpuTaskPriority
{
    /// <summary>After everything else: background work.</summary>
    Low = -1,

    /// <summary>The default.</summary>
    Normal = 0,

    /// <summary>Before everything else.</summary>
    High = 1,
}
