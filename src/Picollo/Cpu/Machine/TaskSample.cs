namespace Picollo.Cpu;

/// <summary>What a sample contains of a process or a thread.</summary>
internal readonly struct TaskSample
{
    /// <summary>The ID by which the next sample finds it: the thread's, or the process's.</summary>
    public required long Id { get; init; }

    /// <summary>What is shown of it, without shares. Of a thread, <see cref="ProcessCpu.Id"/> is that of its process.</summary>
    public required ProcessCpu Shown { get; init; }

    /// <summary>CPU time over life in a finer step than <see cref="ProcessCpu.Usage"/>'s, where the system has one; shares come from it
    /// where both samples have it.</summary>
    public long? PreciseNanoseconds { get; init; }

    /// <summary>The index of a process's first thread in <see cref="SystemCpuSample.Waits"/>.</summary>
    public int FirstWait { get; init; }

    /// <summary>The number of its threads there; 0 where the waits of its threads are not all known.</summary>
    public int WaitCount { get; init; }

    /// <summary>CPU time since an earlier sample over the time since; null where it is not known.</summary>
    public double? ShareSince(SampleTable<TaskSample> before, long beforeNanoseconds, long intervalNanoseconds)
    {
        if (intervalNanoseconds <= 0)
        {
            return null;
        }

        long total = Shown.Usage.TotalNanoseconds;
        long? used = TryFindIn(before, out TaskSample earlier)
            ? PreciseNanoseconds - earlier.PreciseNanoseconds ?? total - earlier.Shown.Usage.TotalNanoseconds
            : Shown.StartNanoseconds >= beforeNanoseconds ? PreciseNanoseconds ?? total
            : null;
        return used is { } known ? Math.Max(known, 0) / (double)intervalNanoseconds : null;
    }

    /// <summary>The time that a process's threads waited since an earlier sample over the time since; null where it is not known.</summary>
    public double? ProcessWaitSince(SystemCpuSample before, SampleTable<ThreadWait> waits, long intervalNanoseconds)
    {
        if (WaitCount == 0 || intervalNanoseconds <= 0)
        {
            return null;
        }

        bool isKnown = TryFindIn(before.Processes, out TaskSample earlier)
            ? earlier.WaitCount > 0
            : Shown.StartNanoseconds >= before.TimestampNanoseconds;
        return isKnown ? ThreadWait.SumSince(before.Waits, waits.Items.Slice(FirstWait, WaitCount)) / (double)intervalNanoseconds : null;
    }

    /// <summary>The time that a thread waited since an earlier sample over the time since; null where it is not known.</summary>
    public double? ThreadWaitSince(SystemCpuSample before, SampleTable<ThreadWait> waits, long intervalNanoseconds) =>
        intervalNanoseconds > 0
            && (before.Waits.TryFind(Id, out _) || Shown.StartNanoseconds >= before.TimestampNanoseconds)
            && waits.TryFind(Id, out ThreadWait wait)
            ? wait.Since(before.Waits) / (double)intervalNanoseconds
            : null;

    public ThreadCpu ToThread(double? share, double? waitShare) => new()
    {
        Id = Id,
        ProcessId = Shown.Id,
        Name = Shown.Name,
        State = Shown.State,
        Nice = Shown.Nice,
        Priority = Shown.Priority,
        Share = share,
        WaitShare = waitShare,
        Usage = Shown.Usage,
        LastCpu = Shown.LastCpu,
    };

    private bool TryFindIn(SampleTable<TaskSample> before, out TaskSample earlier) =>
        before.TryFind(Id, out earlier) && earlier.Shown.StartNanoseconds == Shown.StartNanoseconds;
}

/// <summary>How long a thread was runnable and did not run, over its life.</summary>
/// <param name="ThreadId">The system's ID of the thread.</param>
/// <param name="Nanoseconds">The waits that are over.</param>
/// <param name="Runs">The number of times it got a CPU. A smaller number than before: the ID now belongs to another thread.</param>
internal readonly record struct ThreadWait(long ThreadId, long Nanoseconds, long Runs)
{
    /// <summary>The wait since an earlier sample: all of it for a thread that the sample did not contain.</summary>
    public long Since(SampleTable<ThreadWait> before) =>
        before.TryFind(ThreadId, out ThreadWait earlier) && earlier.Runs <= Runs && earlier.Nanoseconds <= Nanoseconds
            ? Nanoseconds - earlier.Nanoseconds
            : Nanoseconds;

    /// <summary>The sum of <see cref="Since"/> over several threads, at most <see cref="long.MaxValue"/>.</summary>
    public static long SumSince(SampleTable<ThreadWait> before, ReadOnlySpan<ThreadWait> waits)
    {
        long sum = 0;
        foreach (ref readonly ThreadWait wait in waits)
        {
            sum += Math.Min(wait.Since(before), long.MaxValue - sum);
        }

        return sum;
    }
}
