namespace Picollo.Scheduling;

/// <summary>A worker: one of the N slots in which tasks run, each on a <see cref="WorkerThread"/>. Its members change under the scheduler's
/// lock.</summary>
internal sealed class WorkerSlot
{
    /// <summary>The time that the worker has spent on tasks while tasks of other ranks waited, since the last whole slice of one of
    /// them.</summary>
    public long Overtaken;

    public CpuTask? Task { get; set; }

    public WorkerThread? Thread { get; set; }

    /// <summary>The CPU time of the thread at the last check, in nanoseconds; null if it was not checked or did not wait.</summary>
    public long? LastCpuTime { get; set; }

    public long LastCpuTimeAt { get; set; }

    /// <summary>The continuation of the task to run; null for the start of its body.</summary>
    public (SendOrPostCallback Callback, object? State)? Continuation { get; set; }

    public long SliceStart { get; set; }

    /// <summary>The time that the task has waited for this slice.</summary>
    public long Waited { get; set; }

    /// <summary>Whether tasks of other ranks were waiting when the task was taken from the queue.</summary>
    public bool IsOvertaking { get; set; }

    /// <summary>Whether the slice must not be interrupted.</summary>
    public bool IsWhole { get; set; }

    /// <summary>The time at which the task was asked to yield the worker; 0 if it was not asked.</summary>
    public long SignaledAt { get; set; }

    /// <summary>Returns the time since the task was asked to yield the worker; null if it was not asked. The time starts at the start of
    /// the slice if the task was asked before its thread woke.</summary>
    public long? GetOverrun(long now) => SignaledAt == 0 ? null : Math.Max(0, now - Math.Max(SignaledAt, SliceStart));

    /// <summary>Moves the start of the slice to the time when the thread woke, and adds the delay to the wait of the task. Called by the
    /// thread itself without the lock. A holder of the lock sees the old or the new time.</summary>
    public void BeginAt(long now)
    {
        long wake = now - SliceStart;
        SliceStart = now;
        Waited += wake;
        Task!.WaitTicks += wake;
    }
}
