namespace Picollo.Scheduling;

/// <content>Time slices: which task is asked to yield its worker, when it is asked, and the remaining time of its slice.</content>
internal sealed partial class CpuScheduler
{
    /// <summary>A tenth of a slice is enough for short tasks, and less than the share of a processor that long tasks get. A short task that
    /// ran for less has lost its first slice, and waiting tasks of its rank do not interrupt it earlier.</summary>
    private const int MinRunDivisor = 10;

    /// <summary>A credit of 1/20 of a slice makes a task short again. This is half a millisecond for the default slice. With less, a long
    /// task that occasionally waits for microseconds would overtake long tasks that do not wait.</summary>
    private const int CreditDivisor = 20;

    /// <summary>On a machine with more programs than processors, 1 of 100 short tasks loses a slice, and 1 of 30 of these tasks loses
    /// another one (2026-11-21).</summary>
    private const int MaxLostSlices = 4;

    private readonly Sleep _timer = new();
    private bool _hasStartedSlice;
    private bool _timerSleeps;
    private long _timerDue;

    /// <summary>Watches the clock on one thread, so that checkpoints need not read it. The thread sleeps while no task runs.</summary>
    private void RunTimer()
    {
        while (!HasEnded)
        {
            // The runtime waits in steps of a millisecond, so a slice ends up to a millisecond late.
            TimeSpan? wait = SignalOverdue();
            if (wait is not null && CheckBlocked() is { } look && look < wait)
            {
                wait = look;
            }

            _timer.Wait(wait is { } limit ? (int)Math.Ceiling(limit.TotalMilliseconds) : Timeout.Infinite);
        }
    }

    /// <summary>Asks the tasks whose slices have ended to yield. Called by the timer.</summary>
    /// <returns>The time until the next slice can end, if the shortest one starts now; null if no task runs or has run since the last call.
    /// In that case, <see cref="Begin"/> wakes the timer. The timer does not go to sleep immediately when no task runs, because waking it
    /// costs more than a short task. The rest of an interrupted slice may end earlier.</returns>
    private TimeSpan? SignalOverdue()
    {
        long now = Stopwatch.GetTimestamp();
        long next;
        using (_lock.Enter())
        {
            next = now + _shortestSlice;
            bool isIdle = !_hasStartedSlice;
            _hasStartedSlice = false;
            foreach (WorkerSlot worker in _workers)
            {
                if (worker.Task is { } task)
                {
                    isIdle = false;
                    long end = worker.SliceStart + task.SliceLeft;
                    if (end > now)
                    {
                        next = Math.Min(next, end);
                    }
                    else
                    {
                        Signal(worker, now);
                    }
                }
            }

            _timerSleeps = isIdle;
            _timerDue = next;
            return isIdle ? null : Stopwatch.GetElapsedTime(now, next);
        }
    }

    // ---- Under the lock ----

    /// <summary>Asks one running task to yield its worker to a task that arrives. The method selects the task with the highest rank among
    /// those that have not been asked yet. Among equal ranks, it selects the task that has had its worker longest.</summary>
    private void Interrupt(CpuTask waiting, long now)
    {
        WorkerSlot? least = null;
        foreach (WorkerSlot worker in _workers)
        {
            if (worker.Task is not { NeedsAttention: false } running || worker.IsWhole || !CpuTaskQueue.Interrupts(waiting, running))
            {
                continue;
            }

            int order = least is null ? 1 : CpuTaskQueue.Rank(running) - CpuTaskQueue.Rank(least.Task!);
            if (order > 0 || (order == 0 && worker.SliceStart < least!.SliceStart))
            {
                least = worker;
            }
        }

        if (least is not null)
        {
            Signal(least, now);
            if (_timerDue - now > BlockedTicks)
            {
                _timerDue = now;
                _timer.Wake(); // to check whether the worker is blocked
            }
        }
    }

    private static void Signal(WorkerSlot worker, long now)
    {
        if (worker.SignaledAt == 0)
        {
            worker.SignaledAt = now;
        }

        worker.Task!.NeedsAttention = true;
    }

    private void Begin(WorkerSlot worker, CpuTask task, long now, bool isOvertaking, bool isWhole)
    {
        // A thread that acquires the lock later may have read the clock earlier.
        long waited = Math.Max(0, now - task.WaitingSince);
        task.State = CpuTaskState.Running;
        task.Slices++;
        task.WaitTicks += waited;
        task.SliceLeft = isWhole ? task.Slice : task.SliceLeft;
        task.NeedsAttention = task.IsCanceled;
        worker.Task = task;
        worker.SliceStart = now;
        worker.Waited = waited;
        worker.IsOvertaking = isOvertaking;
        worker.IsWhole = isWhole;
        worker.SignaledAt = 0;
        worker.LastCpuTime = null;
        worker.Continuation = task.StoppedThread is null ? task.TakeContinuation() : null;
        _hasStartedSlice = true;
        if (_timerSleeps)
        {
            _timerSleeps = false;
            _timer.Wake();
        }
    }

    /// <summary>Ends the slice of a running task and sets the new state of the task.</summary>
    private SliceReport ReleaseWorker(WorkerSlot worker, CpuTask task, long now)
    {
        bool isUsedUp = now - worker.SliceStart >= task.SliceLeft;
        SliceReport report = EndSlice(worker, task, now);
        task.ExpectCharge();
        task.IsYielding = false;
        worker.Task = null;
        worker.Continuation = null; // Otherwise, it keeps the task's state and result alive until the next task.
        if (task.HasBodyEnded && task.StoppedThread is null)
        {
            task.State = CpuTaskState.Ended;
            Statistics.CountEnd(task);
        }
        else if (task.HasContinuation || task.StoppedThread is not null)
        {
            task.State = CpuTaskState.Waiting;
            task.WaitingSince = now;
            if (isUsedUp)
            {
                _queue.Add(task);
            }
            else
            {
                _queue.PutBack(task);
            }
        }
        else
        {
            task.State = CpuTaskState.Outside;
            task.WaitingSince = now;
            task.NeedsAttention = true; // in case it reaches a checkpoint there
        }

        return report;
    }

    private SliceReport EndSlice(WorkerSlot worker, CpuTask task, long now)
    {
        long length = now - worker.SliceStart;
        long? overrun = worker.GetOverrun(now);
        worker.SignaledAt = 0;
        worker.Overtaken += worker.IsOvertaking ? length : 0;
        task.SliceLeft -= length;
        task.Credit = Math.Max(0, task.Credit - length);
        if (task.SliceLeft <= 0)
        {
            task.IsShort = task.IsShort && HasLostSlice(task);
            task.Credit = task.IsShort ? task.Slice : task.Credit;
            task.SliceLeft = task.Slice;
            task.SliceDueSince = now;
        }

        var report = new SliceReport(task, worker.Waited, length, overrun);
        Statistics.Add(report);
        return report;
    }

    /// <summary>Adds credit to a task that has waited for something other than a worker. As a short task, it may run only as long as it has
    /// credit.</summary>
    private static void GiveCredit(CpuTask task, long waited)
    {
        task.Credit = Math.Min(task.Slice, task.Credit + waited);
        if (task.Credit >= task.Slice / CreditDivisor)
        {
            task.IsShort = true;
            task.SliceLeft = task.Credit;
        }
    }

    /// <summary>Returns whether a short task hardly ran in its slice, because another program had the processor or the container's quota
    /// was used up. Such a task remains short. Otherwise, it would wait for a slice of each long task (0.4 s behind ten of them, measured
    /// on 2026-11-21). This applies at most <see cref="MaxLostSlices"/> times, because a body that blocks looks the same.</summary>
    private static bool HasLostSlice(CpuTask task)
    {
        if (task.LostSlices == MaxLostSlices || WorkerThread.Current is not { } thread)
        {
            return false;
        }

        // A system call under the lock, but only at the end of first slices.
        long cpu = task.ChargedCpu + thread.GetSliceCpu();
        if (cpu >= Stopwatch.GetElapsedTime(0, task.Slice).TotalNanoseconds / MinRunDivisor)
        {
            return false;
        }

        task.LostSlices++;
        return true;
    }

    private bool ShouldYield(WorkerSlot worker, CpuTask task, out SliceReport report)
    {
        long now = Stopwatch.GetTimestamp();
        bool isOver = now - worker.SliceStart >= task.SliceLeft;
        report = default;

        // If tasks of the same rank were already waiting, a task runs for at least a tenth of a slice. Otherwise, each arriving task would
        // move the running task behind all others (p99 of 10 clients with tasks of 0.16 ms: 17 ms instead of 12, 2026-11-24). This is
        // checked again at each checkpoint.
        bool isWaitedFor = isOver ? _queue.Count > 0 : !worker.IsWhole && _queue.AnyInterrupts(task);
        bool keepsTenth = !isOver && now - worker.SliceStart < task.Slice / MinRunDivisor
            && isWaitedFor && !_queue.AnyInterrupts(task, since: worker.SliceStart);
        if (IsOverCap || (isWaitedFor && !keepsTenth))
        {
            return true;
        }

        if (isOver)
        {
            // No task waits, so the next slice starts immediately.
            report = EndSlice(worker, task, now);
            task.Slices++;
            worker.SliceStart = now;
            worker.Waited = 0;
            worker.IsOvertaking = worker.IsWhole = false;
        }

        worker.SignaledAt = 0;
        task.NeedsAttention = task.IsCanceled || keepsTenth; // The next checkpoint must see it.
        return false;
    }
}
