using System.Diagnostics;

namespace Picollo.Scheduling;

/// <content>Workers whose bodies block. The cap is one of CPU consumption, so they do not count: other bodies run in their place.</content>
internal sealed partial class CpuScheduler
{
    /// <summary>The least time between the two looks that show a body blocked. Elsewhere than on Linux the clock of another thread may
    /// lag.</summary>
    private static readonly TimeSpan BlockedTime = TimeSpan.FromMilliseconds(OperatingSystem.IsLinux() ? 20 : 50);

    private static readonly long BlockedTicks = (long)(BlockedTime.TotalSeconds * Stopwatch.Frequency);

    // Of the timer's thread alone: those to look at.
    private readonly List<(WorkerSlot Worker, WorkerThread Thread, CpuTask Task)> _suspects = [];

    private int _blocked;

    /// <summary>Raised in the thread pool.</summary>
    public Action<CpuRunningTask>? Blocked { get; set; }

    public int CountBlocked() => Read(() => _blocked);

    public int CountExtraThreads() => Read(() => _workers.Count - WorkerCount);

    /// <summary>Looks at the workers that were asked to yield while others wait, and lets others run in the place of those that are
    /// blocked. Called by the timer.</summary>
    /// <returns>The time until the next look; null where there is nothing to look at.</returns>
    private TimeSpan? CheckBlocked()
    {
        using (_lock.Enter())
        {
            foreach (WorkerSlot worker in _workers)
            {
                if (IsSuspect(worker))
                {
                    _suspects.Add((worker, worker.Thread!, worker.Task!));
                }
            }
        }

        if (_suspects.Count == 0)
        {
            return null;
        }

        foreach ((WorkerSlot worker, WorkerThread thread, CpuTask task) in _suspects)
        {
            long? cpu = thread.GetCpuIfItWaits(); // two system calls, outside of the lock
            CpuRunningTask? found = null;
            using (_lock.Enter())
            {
                // Else the worker has another task or another thread by now.
                if (worker.Task == task && worker.Thread == thread)
                {
                    found = Look(worker, cpu, Stopwatch.GetTimestamp());
                }
            }

            if (found is { } running && Blocked is { } blocked)
            {
                _ = Task.Run(() => blocked(running));
            }
        }

        _suspects.Clear();
        Lend();
        return BlockedTime;
    }

    /// <summary>Gives the places of blocked workers to others, as long as tasks wait: first to bodies that have stopped with their threads,
    /// because what a blocked one waits for may be theirs to release; then to tasks that a blocked body has started. Without these, it may
    /// be blocked for ever, so the limit of threads is not for them. Then to other tasks.</summary>
    private void Lend()
    {
        while (true)
        {
            WorkerThread? woken = null;
            using (_lock.Enter())
            {
                if (_workers.Count - _blocked >= WorkerCount || _queue.Count == 0)
                {
                    return;
                }

                CpuTask? task = _queue.FindForBlocked();
                if (task is null && _workers.Count - WorkerCount >= MaxExtraThreads)
                {
                    return;
                }

                if (task?.StoppedThread is not null || _spare.Count > 0)
                {
                    woken = Lend(task);
                }
            }

            if (woken is not null)
            {
                woken.Wake();
            }
            else if (!TryAddSpareThread())
            {
                return;
            }
        }
    }

    private bool TryAddSpareThread()
    {
        try
        {
            WorkerThread thread = StartThread(slot: null);
            using (_lock.Enter())
            {
                _spare.Push(thread);
                if (HasEnded)
                {
                    thread.Wake();
                }
            }

            return true;
        }
        catch (OutOfMemoryException)
        {
            return false; // The system has no more threads. The next look tries again.
        }
    }

    // ---- Under the lock ----

    /// <summary>Whether more bodies may run than there are workers: some that were blocked have come back.</summary>
    private bool IsOverCap => _workers.Count - _blocked > WorkerCount;

    /// <summary>Adds a worker for a task that waits, or for the next one where that is null.</summary>
    /// <returns>Its thread, to be woken: the one that has stopped with the task, or a spare one.</returns>
    private WorkerThread Lend(CpuTask? task)
    {
        WorkerSlot lent = new();
        _workers.Add(lent);
        WorkerThread thread = task?.StoppedThread ?? _spare.Pop();
        if (task is not null)
        {
            _queue.Remove(task);
            Begin(lent, task, Stopwatch.GetTimestamp(), isOvertaking: false, isWhole: false);
        }

        if (task?.StoppedThread is not null)
        {
            HandOver(lent, task);
        }
        else
        {
            thread.Take(lent);
        }

        return thread;
    }

    /// <summary>A body that nobody waits for may block as it likes.</summary>
    private bool IsSuspect(WorkerSlot worker) => worker.Task is { } task
        && (task.IsBlocked || (worker.SignalledAt != 0 && (_queue.Count > 0 || task.HasContinuation)));

    /// <summary>Two looks at a thread that waits, with the same CPU time and long enough between them, show it blocked. Looks are counted
    /// and not time alone: what stops the worker may have stopped the timer, too (a garbage collection, a debugger, a container's
    /// quota).</summary>
    /// <param name="worker">The worker.</param>
    /// <param name="cpu">Its thread's CPU time; null for one that runs or could.</param>
    /// <param name="now">The time.</param>
    /// <returns>The body, if it has just been found to be blocked.</returns>
    private CpuRunningTask? Look(WorkerSlot worker, long? cpu, long now)
    {
        if (cpu is null || cpu != worker.CpuSeen)
        {
            worker.CpuSeen = cpu;
            worker.CpuSeenAt = now;
            Unblock(worker);
            return null;
        }

        CpuTask task = worker.Task!;
        if (!task.IsBlocked && now - worker.CpuSeenAt < BlockedTicks)
        {
            return null;
        }

        bool isFirst = !task.IsBlocked;
        task.IsBlocked = true;
        _blocked += isFirst ? 1 : 0;
        RunContinuationsElsewhere(task);
        return isFirst ? ToRunning(worker, now) : null;
    }

    /// <summary>The body of a worker goes on, as far as it was blocked. Where that makes one too many, an idle thread goes; else one goes
    /// at the next checkpoint that a body comes to.</summary>
    private void Unblock(WorkerSlot worker)
    {
        if (worker.Task is not { IsBlocked: true } task)
        {
            return;
        }

        task.IsBlocked = false;
        _blocked--;
        if (IsOverCap && _idle is { } idle)
        {
            _idle = idle.NextIdle;
            _workers.Remove(idle.Slot!);
            idle.Slot = null; // It sleeps on where it is, until it has another.
            _spare.Push(idle);
        }
    }

    /// <summary>Takes a worker away, and its thread with it; called by that thread.</summary>
    private void Retire(WorkerThread thread)
    {
        _workers.Remove(thread.Slot!);
        thread.LeaveWorker();
    }

    /// <summary>A body that blocks on its own async parts waits for these.</summary>
    private static void RunContinuationsElsewhere(CpuTask task)
    {
        while (task.TakeContinuation() is { } own)
        {
            RunElsewhere(own.Callback, own.State);
        }
    }
}
