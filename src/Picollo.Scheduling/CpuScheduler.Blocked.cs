namespace Picollo.Scheduling;

/// <content>Workers whose bodies block. The worker count limits CPU consumption, so blocked workers do not count: other bodies run in their
/// place.</content>
internal sealed partial class CpuScheduler
{
    /// <summary>The minimum time between the two checks that show that a body is blocked. It is longer on systems other than Linux, where
    /// the CPU clock of another thread may lag.</summary>
    private static readonly TimeSpan BlockedTime = TimeSpan.FromMilliseconds(OperatingSystem.IsLinux() ? 20 : 50);

    private static readonly long BlockedTicks = (long)(BlockedTime.TotalSeconds * Stopwatch.Frequency);

    // The workers to check. Only the timer's thread uses the list.
    private readonly List<(WorkerSlot Worker, WorkerThread Thread, CpuTask Task)> _suspects = [];

    private int _blocked;

    /// <summary>A callback for a body that blocks its worker. It is called in the thread pool.</summary>
    public Action<CpuRunningTask>? Blocked { get; set; }

    public int CountBlocked() => Read(() => _blocked);

    public int CountExtraThreads() => Read(() => _workers.Count - WorkerCount);

    /// <summary>Checks the workers that were asked to yield while other tasks wait, and lets other tasks run in place of blocked ones.
    /// Called by the timer. Returns the time until the next check; null if there are no workers to check.</summary>
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
            long? cpu = thread.GetCpuTimeIfWaiting(); // two system calls, outside the lock
            AtSeam?.Invoke(Seam.ThreadRead);
            CpuRunningTask? found = null;
            using (_lock.Enter())
            {
                // Skips a worker that has another task or another thread in the meantime.
                if (worker.Task == task && worker.Thread == thread)
                {
                    found = CheckWorker(worker, cpu, Stopwatch.GetTimestamp());
                }
            }

            if (found is { } running && Blocked is { } blocked)
            {
                RunElsewhere(() => blocked(running));
            }
        }

        _suspects.Clear();
        Lend();
        return BlockedTime;
    }

    /// <summary>Gives the places of blocked workers to waiting tasks. The first are tasks that have stopped with their threads, because
    /// they may hold the lock that a blocked body waits for. The next are tasks that a blocked body has started. The body may wait for
    /// them, so the limit of extra threads does not apply to them. Other tasks follow.</summary>
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
            WorkerThread thread = StartThread();
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
            return false; // The system cannot create another thread. The next check tries again.
        }
    }

    // ---- Under the lock ----

    /// <summary>Whether more bodies can run than there are workers, because bodies are no longer blocked.</summary>
    private bool IsOverCap => _workers.Count - _blocked > WorkerCount;

    /// <summary>Adds a worker for a task; null for the next task in the queue. Returns the thread that the caller must wake: the thread
    /// that has stopped with the task, or a spare thread.</summary>
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

    /// <summary>Returns whether a worker must be checked. A body that blocks while no task waits is not checked.</summary>
    private bool IsSuspect(WorkerSlot worker) => worker.Task is { } task
        && (task.IsBlocked || (worker.SignaledAt != 0 && (_queue.Count > 0 || task.HasContinuation)));

    /// <summary>Checks whether a worker is blocked. A worker is blocked if its thread is waiting at two checks that are
    /// <see cref="BlockedTime"/> apart, and has used no CPU time between them. A single check is not sufficient, because a pause of the
    /// worker may also have paused the timer (a garbage collection, a debugger, a container's quota). The CPU time is null if the thread
    /// runs or can run. Returns the body if this check is the first to find it blocked; otherwise, null.</summary>
    private CpuRunningTask? CheckWorker(WorkerSlot worker, long? cpu, long now)
    {
        if (cpu is null || cpu != worker.LastCpuTime)
        {
            Unblock(worker);
            worker.LastCpuTime = cpu;
            worker.LastCpuTimeAt = now;
            return null;
        }

        CpuTask task = worker.Task!;
        if (!task.IsBlocked && now - worker.LastCpuTimeAt < BlockedTicks)
        {
            return null;
        }

        bool isFirst = !task.IsBlocked;
        task.IsBlocked = true;
        _blocked += isFirst ? 1 : 0;
        RunContinuationsElsewhere(task);
        return isFirst ? ToRunning(worker, now) : null;
    }

    /// <summary>Records that the body of a worker is not blocked, or no longer blocked, and discards the last reading. A reading that the
    /// timer has taken but not reported yet is then the first one. If there are too many workers, an idle one is removed; otherwise, the
    /// next body that reaches a checkpoint gives up its worker.</summary>
    private void Unblock(WorkerSlot worker)
    {
        worker.LastCpuTime = null;
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
            idle.Slot = null; // It remains asleep until it gets another worker.
            _spare.Push(idle);
        }
    }

    /// <summary>Removes the worker of the calling thread.</summary>
    private void Retire(WorkerThread thread)
    {
        _workers.Remove(thread.Slot!);
        thread.LeaveWorker();
    }

    /// <summary>Runs the continuations of a blocked body in the thread pool, because the body may wait for them.</summary>
    private static void RunContinuationsElsewhere(CpuTask task)
    {
        while (task.TakeContinuation() is { } own)
        {
            RunElsewhere(own.Callback, own.State);
        }
    }
}
