namespace Picollo.Cpu;

/// <summary>The data of a process or a thread in a sample.</summary>
internal readonly struct TaskSample
{
    /// <summary>The ID by which the next sample finds it: the ID of the thread or process.</summary>
    public required long Id { get; init; }

    /// <summary>The values to show, without shares. For a thread, <see cref="ProcessCpu.Id"/> is the ID of its process.</summary>
    public required ProcessCpu Shown { get; init; }

    /// <summary>The CPU time since its start with a finer resolution than <see cref="ProcessCpu.Usage"/>, if the system has one. Shares are
    /// computed from it if both samples have it.</summary>
    public long? PreciseNanoseconds { get; init; }

    /// <summary>The index of a process's first thread in <see cref="SystemCpuSample.Waits"/>.</summary>
    public int FirstWait { get; init; }

    /// <summary>The number of its threads there; 0 if the wait of any thread is unknown.</summary>
    public int WaitCount { get; init; }

    /// <summary>Returns the CPU time since an earlier sample, divided by the elapsed time; null if unknown.</summary>
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

    /// <summary>Returns the wait time of a process's threads since an earlier sample, divided by the elapsed time; null if
    /// unknown.</summary>
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

    /// <summary>Returns the wait time of a thread since an earlier sample, divided by the elapsed time; null if unknown.</summary>
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

/// <summary>The time that a thread was runnable but did not run, since its start, in completed waits. If the number of times it got a CPU
/// has decreased, the ID now belongs to another thread.</summary>
internal readonly record struct ThreadWait(long ThreadId, long Nanoseconds, long Runs)
{
    /// <summary>Returns the wait since an earlier sample; the whole wait for a thread that the sample did not contain.</summary>
    public long Since(SampleTable<ThreadWait> before) =>
        before.TryFind(ThreadId, out ThreadWait earlier) && earlier.Runs <= Runs && earlier.Nanoseconds <= Nanoseconds
            ? Nanoseconds - earlier.Nanoseconds
            : Nanoseconds;

    /// <summary>Returns the sum of <see cref="Since"/> over several threads, at most <see cref="long.MaxValue"/>.</summary>
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
