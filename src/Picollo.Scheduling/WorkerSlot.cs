namespace Picollo.Scheduling;

/// <summary>One of the N slots in which tasks run, each on a <see cref="WorkerThread"/>. Its fields change under the scheduler's
/// lock.</summary>
internal sealed class WorkerSlot
{
    /// <summary>When it last took a task that others had passed over.</summary>
    public long LastWhole;

    public CpuTask? Task { get; set; }

    /// <summary>What to run of the task; null for its body.</summary>
    public (SendOrPostCallback Callback, object? State)? Continuation { get; set; }

    public long SliceStart { get; set; }

    /// <summary>How long the task had waited for this slice.</summary>
    public long Waited { get; set; }

    /// <summary>Whether the slice is not to be interrupted.</summary>
    public bool IsWhole { get; set; }

    /// <summary>When the task was asked to give up the worker; 0 if it was not.</summary>
    public long SignalledAt { get; set; }

    /// <summary>For how long the task has been asked and has not come; null if it was not asked. From the slice's begin at the earliest: a
    /// thread that was slow to wake may have been asked before.</summary>
    public long? GetOverrun(long now) => SignalledAt == 0 ? null : Math.Max(0, now - Math.Max(SignalledAt, SliceStart));

    /// <summary>The thread had to be woken: the task waited so much longer. By the thread itself, without the lock; whoever has it
    /// meanwhile sees the time before or after.</summary>
    public void BeginAt(long now)
    {
        long wake = now - SliceStart;
        SliceStart = now;
        Waited += wake;
        Task!.WaitTicks += wake;
    }
}
