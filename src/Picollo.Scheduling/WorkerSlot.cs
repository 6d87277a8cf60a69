namespace Picollo.Scheduling;

/// <summary>One of the N slots in which tasks run, each on a <see cref="WorkerThread"/>. Its fields change under the scheduler's
/// lock.</summary>
internal sealed class WorkerSlot
{
    /// <summary>The time it has spent on tasks while those of another rank waited, since the last whole slice of one of them.</summary>
    public long Overtaken;

    public CpuTask? Task { get; set; }

    /// <summary>The thread that has it.</summary>
    public WorkerThread? Thread { get; set; }

    /// <summary>The CPU time of the thread when it was seen to wait, in nanoseconds; null where it was not seen, or did not.</summary>
    public long? CpuSeen { get; set; }

    public long CpuSeenAt { get; set; }

    /// <summary>The part of the task to run; null for its body.</summary>
    public (SendOrPostCallback Callback, object? State)? Continuation { get; set; }

    public long SliceStart { get; set; }

    /// <summary>How long the task had waited for this slice.</summary>
    public long Waited { get; set; }

    /// <summary>Whether tasks of another rank waited when the task was taken.</summary>
    public bool IsOvertaking { get; set; }

    /// <summary>Whether the slice is not to be interrupted.</summary>
    public bool IsWhole { get; set; }

    /// <summary>When the task was asked to give up the worker; 0 if it was not.</summary>
    public long SignalledAt { get; set; }

    /// <summary>Time since the task was asked to give up the worker, from the start of the slice at the earliest, because a thread that was
    /// slow to wake may have been asked before; null if it was not asked.</summary>
    public long? GetOverrun(long now) => SignalledAt == 0 ? null : Math.Max(0, now - Math.Max(SignalledAt, SliceStart));

    /// <summary>Moves the start of the slice to when the thread woke; the task waited that much longer. Called by the thread itself without
    /// the lock; a holder of the lock sees the time before or after.</summary>
    public void BeginAt(long now)
    {
        long wake = now - SliceStart;
        SliceStart = now;
        Waited += wake;
        Task!.WaitTicks += wake;
    }
}
