using System.Diagnostics;

namespace Picollo.Scheduling;

/// <content>Slices: which task is asked to give up a worker and when, and how much of its slice a task has left.</content>
internal sealed partial class CpuScheduler
{
    /// <summary>A tenth of a slice: as much as short tasks take, and less than any share of a processor that long ones get.</summary>
    private const int LeastShareOfFirstSlice = 10;

    /// <summary>A twentieth of a slice of credit makes a task short again: half a millisecond, unless the slice is another one. Less is not
    /// worth a switch: a long task that waits for microseconds now and then would overtake those that do not.</summary>
    private const int LeastShareOfCredit = 20;

    /// <summary>On a machine with more programs than processors one short task in a hundred loses a slice, and of these one in thirty
    /// another (2026-11-21).</summary>
    private const int MaxLostSlices = 4;

    private readonly Sleep _timer = new();
    private bool _hasBegunSlice;
    private bool _timerSleeps;
    private long _timerDue;

    /// <summary>The one thread that watches the clock, so that no checkpoint has to. It sleeps while nothing runs.</summary>
    private void RunTimer()
    {
        while (!HasEnded)
        {
            // A whole millisecond is the step of the runtime's waits: a slice ends up to one too late.
            TimeSpan? wait = SignalOverdue();
            if (wait is not null && CheckBlocked() is { } look && look < wait)
            {
                wait = look;
            }

            _timer.Wait(wait is { } limit ? (int)Math.Ceiling(limit.TotalMilliseconds) : Timeout.Infinite);
        }
    }

    /// <summary>Signals the tasks whose slices are over. Called by the timer.</summary>
    /// <returns>The time until the next slice can be over, counting the shortest one, that starts now; null where nothing runs or has run
    /// since the last call: then <see cref="Begin"/> wakes the timer. (Not at once when nothing runs: waking it costs more than a short
    /// task. The rest of an interrupted slice may be over before.)</returns>
    private TimeSpan? SignalOverdue()
    {
        long now = Stopwatch.GetTimestamp();
        long next;
        using (_lock.Enter())
        {
            next = now + _shortestSlice;
            bool isIdle = !_hasBegunSlice;
            _hasBegunSlice = false;
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

    /// <summary>Asks one running task, for each task that comes, to give up its worker: of those not asked yet the one of the last rank,
    /// and of equal ranks the one that has had its worker longest.</summary>
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
                _timer.Wake(); // to look whether it is blocked
            }
        }
    }

    private static void Signal(WorkerSlot worker, long now)
    {
        if (worker.SignalledAt == 0)
        {
            worker.SignalledAt = now;
        }

        worker.Task!.NeedsAttention = true;
    }

    private void Begin(WorkerSlot worker, CpuTask task, long now, bool isOvertaking, bool isWhole)
    {
        // A thread that came later to the lock may have read the clock earlier.
        long waited = Math.Max(0, now - task.WaitingSince);
        task.State = CpuTaskState.Running;
        task.Slices++;
        task.WaitTicks += waited;
        task.SliceLeft = isWhole ? task.Slice : task.SliceLeft;
        task.NeedsAttention = task.IsCancelled;
        worker.Task = task;
        worker.SliceStart = now;
        worker.Waited = waited;
        worker.IsOvertaking = isOvertaking;
        worker.IsWhole = isWhole;
        worker.SignalledAt = 0;
        worker.CpuSeen = null;
        worker.Continuation = task.StoppedThread is null ? task.TakeContinuation() : null;
        _hasBegunSlice = true;
        if (_timerSleeps)
        {
            _timerSleeps = false;
            _timer.Wake();
        }
    }

    /// <summary>Ends a running task's slice and sets the task's new state.</summary>
    private SliceReport PutAway(WorkerSlot worker, CpuTask task, long now)
    {
        bool isUsedUp = now - worker.SliceStart >= task.SliceLeft;
        SliceReport report = EndSlice(worker, task, now);
        task.ExpectCharge();
        task.StepsAside = false;
        worker.Task = null;
        worker.Continuation = null; // It would keep the task's state and result alive until the next task.
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
            task.NeedsAttention = true; // Should it come to a checkpoint there.
        }

        return report;
    }

    private SliceReport EndSlice(WorkerSlot worker, CpuTask task, long now)
    {
        long length = now - worker.SliceStart;
        long? overrun = worker.GetOverrun(now);
        worker.SignalledAt = 0;
        worker.Overtaken += worker.IsOvertaking ? length : 0;
        task.SliceLeft -= length;
        task.Credit = Math.Max(0, task.Credit - length);
        if (task.SliceLeft <= 0)
        {
            task.IsShort = task.IsShort && WasKeptFromRunning(task);
            task.Credit = task.IsShort ? task.Slice : task.Credit;
            task.SliceLeft = task.Slice;
            task.SliceDueSince = now;
        }

        var report = new SliceReport(task, worker.Waited, length, overrun);
        Statistics.Add(report);
        return report;
    }

    /// <summary>For a task that has waited for something other than a worker. As a short one it may run no longer than it has
    /// credit.</summary>
    private static void GiveCredit(CpuTask task, long waited)
    {
        task.Credit = Math.Min(task.Slice, task.Credit + waited);
        if (task.Credit >= task.Slice / LeastShareOfCredit)
        {
            task.IsShort = true;
            task.SliceLeft = task.Credit;
        }
    }

    /// <summary>Whether a short task hardly ran in its slice, because another program had the processor or the container's quota was used
    /// up. Such a task stays short. Set aside, a short task would wait for a slice of each long one (0.4 s behind ten of them, measured on
    /// 2026-11-21). At most <see cref="MaxLostSlices"/> times, because a body that blocks looks alike.</summary>
    private static bool WasKeptFromRunning(CpuTask task)
    {
        if (task.LostSlices == MaxLostSlices || WorkerThread.Current is not { } thread)
        {
            return false;
        }

        // A system call under the lock, at the end of first slices alone.
        long cpu = task.ChargedCpu + thread.GetSliceCpu();
        if (cpu >= Stopwatch.GetElapsedTime(0, task.Slice).TotalNanoseconds / LeastShareOfFirstSlice)
        {
            return false;
        }

        task.LostSlices++;
        return true;
    }

    private bool ShouldStepAside(WorkerSlot worker, CpuTask task, out SliceReport report)
    {
        long now = Stopwatch.GetTimestamp();
        bool isOver = now - worker.SliceStart >= task.SliceLeft;
        report = default;

        // A tenth of a slice is for a task and those of its rank that waited before. Otherwise, each task that comes would send the running
        // one behind all others (p99 of 10 clients with tasks of 0.16 ms: 17 ms instead of 12, 2026-11-24). It is asked again at each
        // checkpoint.
        bool isWaitedFor = isOver ? _queue.Count > 0 : !worker.IsWhole && _queue.AnyInterrupts(task);
        bool keepsTenth = !isOver && now - worker.SliceStart < task.Slice / LeastShareOfFirstSlice
            && isWaitedFor && !_queue.AnyInterrupts(task, since: worker.SliceStart);
        if (IsOverCap || (isWaitedFor && !keepsTenth))
        {
            return true;
        }

        if (isOver)
        {
            // No task waits: another slice at once.
            report = EndSlice(worker, task, now);
            task.Slices++;
            worker.SliceStart = now;
            worker.Waited = 0;
            worker.IsOvertaking = worker.IsWhole = false;
        }

        worker.SignalledAt = 0;
        task.NeedsAttention = task.IsCancelled || keepsTenth; // The next checkpoint must see it.
        return false;
    }
}
