namespace Picollo.Cpu;

/// <summary>What a sample knows of a process or a thread.</summary>
internal readonly struct TaskSample
{
    public required long Id { get; init; }

    /// <summary>Of a thread; a process's is its <see cref="Id"/>.</summary>
    public required int ProcessId { get; init; }

    /// <summary>The latest moment at which it may have begun, on the clock of
    /// <see cref="SystemCpuSample.TimestampNanoseconds"/>: the same in each sample, and with the id what it is recognised by.</summary>
    public required long StartNanoseconds { get; init; }

    public required string Name { get; init; }

    public char? State { get; init; }

    public int? Nice { get; init; }

    public int? Priority { get; init; }

    /// <summary>CPU time over life, not negative.</summary>
    public required CpuUsage Usage { get; init; }

    /// <summary>CPU time over life in a finer step than <see cref="Usage"/>'s, where the system has one; shares come from it
    /// where both samples do.</summary>
    public long? PreciseNanoseconds { get; init; }

    public int? ThreadCount { get; init; }

    public int? LastCpu { get; init; }

    /// <summary>CPU time since an earlier sample over the time since; null where it cannot be known.</summary>
    public double? ShareSince(TaskTable before, long beforeNanoseconds, long intervalNanoseconds)
    {
        if (intervalNanoseconds <= 0)
        {
            return null;
        }

        long used;
        if (before.TryFind(Id, out TaskSample earlier) && earlier.StartNanoseconds == StartNanoseconds)
        {
            used = PreciseNanoseconds - earlier.PreciseNanoseconds ?? Usage.TotalNanoseconds - earlier.Usage.TotalNanoseconds;
        }
        else if (StartNanoseconds >= beforeNanoseconds)
        {
            used = PreciseNanoseconds ?? Usage.TotalNanoseconds;
        }
        else
        {
            return null;
        }

        return Math.Max(used, 0) / (double)intervalNanoseconds;
    }

    public ProcessCpu ToProcess(double? share) => new()
    {
        Id = ProcessId,
        Name = Name,
        State = State,
        Nice = Nice,
        Priority = Priority,
        Share = share,
        Usage = Usage,
        ThreadCount = ThreadCount,
        LastCpu = LastCpu,
    };

    public ThreadCpu ToThread(double? share) => new()
    {
        Id = Id,
        ProcessId = ProcessId,
        Name = Name,
        State = State,
        Nice = Nice,
        Priority = Priority,
        Share = share,
        Usage = Usage,
        LastCpu = LastCpu,
    };
}
