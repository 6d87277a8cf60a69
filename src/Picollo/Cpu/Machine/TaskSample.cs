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

    public long? VirtualBytes { get; init; }

    public long? ResidentBytes { get; init; }

    public long? SharedBytes { get; init; }

    public uint? UserId { get; init; }

    /// <summary>Where a process's threads are in <see cref="SystemCpuSample.Waits"/>.</summary>
    public int FirstWait { get; init; }

    /// <summary>How many they are; 0 where the waits of its threads are not all known.</summary>
    public int WaitCount { get; init; }

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

    /// <summary>The time that a process's threads waited since an earlier sample over the time since; null where it cannot be
    /// known.</summary>
    public double? ProcessWaitSince(SystemCpuSample before, WaitTable waits, long intervalNanoseconds)
    {
        if (WaitCount == 0 || intervalNanoseconds <= 0)
        {
            return null;
        }

        bool isKnown = before.Processes.TryFind(Id, out TaskSample earlier) && earlier.StartNanoseconds == StartNanoseconds
            ? earlier.WaitCount > 0
            : StartNanoseconds >= before.TimestampNanoseconds;
        return isKnown ? waits.Since(before.Waits, FirstWait, WaitCount) / (double)intervalNanoseconds : null;
    }

    /// <summary>The same of a thread.</summary>
    public double? ThreadWaitSince(SystemCpuSample before, WaitTable waits, long intervalNanoseconds) =>
        intervalNanoseconds > 0 && (before.Waits.Has(Id) || StartNanoseconds >= before.TimestampNanoseconds)
            ? waits.Since(before.Waits, Id) / (double)intervalNanoseconds
            : null;

    public ProcessCpu ToProcess(double? share, double? waitShare) => new()
    {
        Id = ProcessId,
        StartNanoseconds = StartNanoseconds,
        Name = Name,
        State = State,
        Nice = Nice,
        Priority = Priority,
        Share = share,
        WaitShare = waitShare,
        VirtualBytes = VirtualBytes,
        ResidentBytes = ResidentBytes,
        SharedBytes = SharedBytes,
        UserId = UserId,
        Usage = Usage,
        ThreadCount = ThreadCount,
        LastCpu = LastCpu,
    };

    public ThreadCpu ToThread(double? share, double? waitShare) => new()
    {
        Id = Id,
        ProcessId = ProcessId,
        Name = Name,
        State = State,
        Nice = Nice,
        Priority = Priority,
        Share = share,
        WaitShare = waitShare,
        Usage = Usage,
        LastCpu = LastCpu,
    };
}
