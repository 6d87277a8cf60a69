using System.Diagnostics;

// Its source of cancellation has neither a timer nor a handle, and tasks use it to their end.
#pragma warning disable CA1001 // Types that own disposable fields should be disposable

namespace Picollo.Scheduling;

/// <summary>
/// Brings tasks and workers together. A worker is one of N places to run at; threads change their places only where a body
/// stops in <c>CheckpointBlocking</c>.
/// </summary>
/// <remarks>
/// <para>All is decided under one lock, held for some tens of nanoseconds: work that comes here takes thousands of times as
/// long, and with one lock it is plain to see that there are never more than N running, and none is lost.</para>
/// <para>Times are <see cref="Stopwatch"/> ticks.</para>
/// </remarks>
internal sealed partial class CpuScheduler
{
    /// <summary>A tenth: what short tasks take, and less than any share of a processor that long ones are left with.</summary>
    private const int LeastShareOfFirstSlice = 10;

    /// <summary>On a machine with more programs than processors one short task in a hundred loses a slice, and of these one in thirty
    /// another (2026-11-21).</summary>
    private const int MaxLostSlices = 4;

    private readonly Lock _lock = new();
    private readonly long _slice;
    private readonly CpuTaskQueue _queue;
    private readonly Worker[] _workers;
    private readonly SliceTimer _timer;

    // The threads that have nothing to do, the latest first. A list through them: what two processors write in turn is what a submission
    // costs (60 to 100 ns for each cache line, on the machine of 2026-11-21), so it is kept close together.
    private WorkerThread? _idle;
    private long _submitted;
    private bool _hasBegunSlice;
    private bool _timerSleeps;

    public CpuScheduler(CpuWorkerPoolOptions options)
    {
        Name = options.Name;
        _slice = (long)(options.TimeSlice.TotalSeconds * Stopwatch.Frequency);
        _queue = new CpuTaskQueue(_slice);
        _workers = [.. Enumerable.Range(0, options.WorkerCount).Select(_ => new Worker())];
        Statistics = new CpuWorkerStatistics(this);
        _timer = new SliceTimer(this);
        foreach (Worker worker in _workers)
        {
            _ = StartThread(worker);
        }
    }

    public string Name { get; }

    public int WorkerCount => _workers.Length;

    public CpuWorkerStatistics Statistics { get; }

    /// <summary>Takes a task up.</summary>
    /// <returns>False if it is cancelled already; then it was not taken.</returns>
    /// <exception cref="ObjectDisposedException">The pool is closed.</exception>
    public bool TrySubmit(CpuTask task)
    {
        // Tasks that are to end may still need others of their own.
        bool isOwn = SynchronizationContext.Current is CpuTask current && current.Scheduler == this;
        long now = Stopwatch.GetTimestamp();
        WorkerThread? woken;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isCancelled || (_isClosed && !isOwn), typeof(CpuWorkerPool));
            if (task.IsCancelled)
            {
                return false;
            }

            _submitted++;
            task.SliceLeft = _slice;
            woken = Enqueue(task, now);
        }

        woken?.Wake();
        return true;
    }

    /// <summary>Runs a continuation of a task on a worker, when its turn comes.</summary>
    public void Resume(CpuTask task, SendOrPostCallback callback, object? state)
    {
        bool hasEnded;
        WorkerThread? woken = null;
        lock (_lock)
        {
            hasEnded = task.State == CpuTaskState.Ended;
            if (!hasEnded)
            {
                task.AddContinuation(callback, state);
            }

            if (task.State == CpuTaskState.Outside)
            {
                woken = Enqueue(task, Stopwatch.GetTimestamp());
            }
        }

        woken?.Wake();
        if (hasEnded)
        {
            // A part of the body that the body did not wait for.
            RunElsewhere(callback, state);
        }
    }

    /// <summary>As a task of the thread pool: should it fail (an async void method in the body), that is an unobserved task exception, and
    /// not the end of the process.</summary>
    private static void RunElsewhere(SendOrPostCallback callback, object? state) =>
        Task.Run(() => callback(state));

    /// <summary>Whether a task that has come to a checkpoint is to give up its worker.</summary>
    /// <exception cref="OperationCanceledException">The task is cancelled.</exception>
    public bool StepsAside(CpuTask task)
    {
        task.ThrowIfCancelled();
        if (WorkerThread.Current?.Worker is not { } worker || worker.Task != task)
        {
            return true; // To come back to a worker, from behind a ConfigureAwait(false).
        }

        SliceReport report;
        lock (_lock)
        {
            task.StepsAside = ShouldStepAside(worker, task, out report);
        }

        Statistics.Publish(report);
        return task.StepsAside;
    }

    /// <summary>A thread's next step: puts away the task at hand and finds another.</summary>
    /// <param name="thread">The calling one, which has a worker.</param>
    /// <param name="left">The task that the thread has left, if it has: its CPU time is to be charged to it.</param>
    /// <param name="hasEnded">Whether that was its last step: whoever awaits it is to be told, outside of the lock.</param>
    /// <param name="report">To be published.</param>
    /// <returns>The task whose <see cref="Worker.Continuation"/> to run; null where the thread is to wait.</returns>
    public CpuTask? Next(WorkerThread thread, out CpuTask? left, out bool hasEnded, out SliceReport report)
    {
        long now = Stopwatch.GetTimestamp();
        left = null;
        hasEnded = false;
        report = default;
        WorkerThread? woken = null;
        CpuTask? next;
        lock (_lock)
        {
            Worker worker = thread.Worker!;
            if (worker.Task is { } last)
            {
                // A wait inside the body that is over already: it goes on, in the same slice.
                if (last is { HasContinuation: true, StepsAside: false, HasBodyEnded: false }
                    && !(last.NeedsAttention && ShouldStepAside(worker, last, out report)))
                {
                    worker.Continuation = last.TakeContinuation();
                    return last;
                }

                report = PutAway(worker, last, now);
                left = last;
                hasEnded = last.State == CpuTaskState.Ended;
            }

            next = _queue.Take(now, ref worker.LastWhole, out bool isWhole);
            if (next is null)
            {
                thread.NextIdle = _idle;
                _idle = thread;
                woken = HasEnded ? thread : null; // Its first step, of a pool that has ended before: nobody else wakes it.
            }
            else
            {
                Begin(worker, next, now, isWhole);
                if (next.StoppedThread is not null)
                {
                    woken = GiveWorkerBack(thread, next);
                    next = null;
                }
            }
        }

        woken?.Wake();
        return next;
    }

    /// <summary>Signals the tasks whose slices are over; the timer's.</summary>
    /// <returns>For how long no other slice will be over, not even that of a task that begins just now; null where nothing runs or has run
    /// since the last call: then <see cref="SliceTimer.Wake"/> comes. (Not at once when nothing runs: waking it costs more than a short
    /// task.)</returns>
    public TimeSpan? SignalOverdue()
    {
        long now = Stopwatch.GetTimestamp();
        long next = now + _slice;
        lock (_lock)
        {
            bool isIdle = !_hasBegunSlice;
            _hasBegunSlice = false;
            foreach (Worker worker in _workers)
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
            return isIdle ? null : Stopwatch.GetElapsedTime(now, next);
        }
    }

    /// <summary>What runs now.</summary>
    public List<CpuRunningTask> GetRunning()
    {
        long now = Stopwatch.GetTimestamp();
        lock (_lock)
        {
            return [.. _workers.Where(worker => worker.Task is not null).Select(worker => new CpuRunningTask(
                worker.Task!.Name,
                Stopwatch.GetElapsedTime(Math.Min(worker.SliceStart, now), now), // it may begin just now
                worker.GetOverrun(now) is { } overrun ? Stopwatch.GetElapsedTime(0, overrun) : TimeSpan.Zero))];
        }
    }

    /// <summary>What a task has taken, up to this moment if it is asked on its worker.</summary>
    public CpuTaskUsage GetUsage(CpuTask task)
    {
        long cpu = task.WaitForCharges();
        if (WorkerThread.Current is { Worker: { } worker } thread && worker.Task == task)
        {
            cpu += thread.GetSliceCpu();
        }

        return Read(() => new CpuTaskUsage(
            TimeSpan.FromTicks(cpu / TimeSpan.NanosecondsPerTick),
            task.Slices,
            Stopwatch.GetElapsedTime(0, task.WaitTicks)));
    }

    /// <summary>How many tasks were taken up.</summary>
    public long CountSubmitted() => Read(() => _submitted);

    /// <summary>How many wait for a worker.</summary>
    public int CountWaiting() => Read(() => _queue.Count);

    /// <summary>Reads what changes under the lock.</summary>
    public T Read<T>(Func<T> read)
    {
        lock (_lock)
        {
            return read();
        }
    }

    // ---- Under the lock ----

    /// <summary>A task that comes, to an idle worker or into the queue.</summary>
    /// <returns>The thread to wake, outside of the lock.</returns>
    private WorkerThread? Enqueue(CpuTask task, long now)
    {
        task.State = CpuTaskState.Waiting;
        task.WaitingSince = task.SliceDueSince = now;
        if (_idle is { } thread)
        {
            _idle = thread.NextIdle;
            Begin(thread.Worker!, task, now, isWhole: false);
            return thread;
        }

        _queue.Add(task);
        Interrupt(task, now);
        return null;
    }

    /// <summary>Asks the least of the running tasks for its worker: that of the last rank, and of these the one that has had it longest.
    /// One for each task that comes; those that were asked already do not count.</summary>
    private void Interrupt(CpuTask waiting, long now)
    {
        Worker? least = null;
        foreach (Worker worker in _workers)
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
        }
    }

    private static void Signal(Worker worker, long now)
    {
        if (worker.SignalledAt == 0)
        {
            worker.SignalledAt = now;
        }

        worker.Task!.NeedsAttention = true;
    }

    private void Begin(Worker worker, CpuTask task, long now, bool isWhole)
    {
        // Who came later to the lock may have looked at the clock before.
        long waited = Math.Max(0, now - task.WaitingSince);
        task.State = CpuTaskState.Running;
        task.Slices++;
        task.WaitTicks += waited;
        task.SliceLeft = isWhole ? _slice : task.SliceLeft;
        task.NeedsAttention = task.IsCancelled;
        worker.Task = task;
        worker.SliceStart = now;
        worker.Waited = waited;
        worker.IsWhole = isWhole;
        worker.SignalledAt = 0;
        worker.Continuation = task.StoppedThread is null ? task.TakeContinuation() : null;
        _hasBegunSlice = true;
        if (_timerSleeps)
        {
            _timerSleeps = false;
            _timer.Wake();
        }
    }

    /// <summary>Ends a running task's slice, and says where the task is now.</summary>
    private SliceReport PutAway(Worker worker, CpuTask task, long now)
    {
        bool isUsedUp = now - worker.SliceStart >= task.SliceLeft;
        SliceReport report = EndSlice(worker, task, now);
        task.ExpectCharge();
        task.StepsAside = false;
        worker.Task = null;
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
            task.NeedsAttention = true; // Should it come to a checkpoint there.
        }

        return report;
    }

    private SliceReport EndSlice(Worker worker, CpuTask task, long now)
    {
        long length = now - worker.SliceStart;
        long? overrun = worker.GetOverrun(now);
        worker.SignalledAt = 0;
        task.SliceLeft -= length;
        if (task.SliceLeft <= 0)
        {
            task.IsNew = task.IsNew && WasKeptFromRunning(task);
            task.SliceLeft = _slice;
            task.SliceDueSince = now;
        }

        var report = new SliceReport(task.Name, worker.Waited, length, overrun);
        Statistics.Add(report);
        return report;
    }

    /// <summary>Whether the system let a new task hardly run in its slice: another program had the processor, or the container's
    /// quota was used up. Set aside, a short task would wait for a slice of each long one (0.4 s behind ten of them, measured on
    /// 2026-11-21); so it stays a new one. Only so often: a body that blocks looks the same.</summary>
    private bool WasKeptFromRunning(CpuTask task)
    {
        if (task.LostSlices == MaxLostSlices || WorkerThread.Current is not { } thread)
        {
            return false;
        }

        // A system call under the lock, at the end of first slices alone.
        long cpu = task.ChargedCpu + thread.GetSliceCpu();
        if (cpu >= Stopwatch.GetElapsedTime(0, _slice).TotalNanoseconds / LeastShareOfFirstSlice)
        {
            return false;
        }

        task.LostSlices++;
        return true;
    }

    private bool ShouldStepAside(Worker worker, CpuTask task, out SliceReport report)
    {
        long now = Stopwatch.GetTimestamp();
        bool isOver = now - worker.SliceStart >= task.SliceLeft;
        report = default;
        if (isOver ? _queue.Count > 0 : !worker.IsWhole && _queue.AnyInterrupts(task))
        {
            return true;
        }

        if (isOver)
        {
            // Nobody waits: another slice at once.
            report = EndSlice(worker, task, now);
            task.Slices++;
            worker.SliceStart = now;
            worker.Waited = 0;
            worker.IsWhole = false;
        }

        worker.SignalledAt = 0;
        task.NeedsAttention = task.IsCancelled; // The next checkpoint is to see it, whoever has asked here.
        return false;
    }
}
