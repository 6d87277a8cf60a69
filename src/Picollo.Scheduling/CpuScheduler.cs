using System.Diagnostics.CodeAnalysis;

namespace Picollo.Scheduling;

/// <summary>Assigns tasks to N workers. A thread gives up its worker only if a body stops in <c>Checkpoint</c>.</summary>
/// <remarks>
/// <para>All decisions are made under one lock, which is held for tens of nanoseconds. Tasks take thousands of times as long. With one
/// lock, it is easy to verify that at most N tasks run and no task is lost.</para>
/// <para>Times are <see cref="Stopwatch"/> ticks.</para>
/// </remarks>
[SuppressMessage(
    "Design", "CA1001", Justification = "The cancellation source has neither a timer nor a handle, and tasks use it until they end.")]
internal sealed partial class CpuScheduler
{
    private readonly UninterruptedLock _lock = new();
    private readonly CpuTaskQueue _queue;
    private readonly List<WorkerSlot> _workers; // N, and an extra one for each blocked worker
    private readonly Action<Thread> _startThread;

    // A linked list of the idle threads, latest first. The main cost of a submission is the cache lines that two processors write
    // alternately (60 to 100 ns each, on the machine of 2026-11-21), so there are as few as possible.
    private WorkerThread? _idle;
    private long _submitted;
    private long _shortestSlice;
    private volatile bool _hasThreads;

    public CpuScheduler(CpuWorkerPoolOptions options)
    {
        Name = options.Name;
        Slice = (long)(options.TimeSlice.TotalSeconds * Stopwatch.Frequency);
        _shortestSlice = Slice;
        _queue = new CpuTaskQueue(Slice);
        WorkerCount = options.WorkerCount;
        MaxExtraThreads = options.MaxExtraThreads;
        _workers = [.. Enumerable.Range(0, WorkerCount).Select(_ => new WorkerSlot())];
        Statistics = new CpuWorkerStatistics(this);
        CpuWorkerStatistics.WarmUp(this);
        _startThread = options.StartThread;
        AtSeam = options.AtSeam;
    }

    public string Name { get; }

    /// <summary>The default time slice of tasks.</summary>
    public long Slice { get; }

    public int WorkerCount { get; }

    public int MaxExtraThreads { get; }

    public CpuWorkerStatistics Statistics { get; }

    public Action<Seam>? AtSeam { get; }

    /// <returns><see langword="true"/> if the task was submitted; <see langword="false"/> if it is already canceled.</returns>
    /// <exception cref="ObjectDisposedException">The pool is closed.</exception>
    /// <exception cref="OutOfMemoryException">The system cannot create the threads of the pool.</exception>
    public bool TrySubmit(CpuTask task)
    {
        if (!_hasThreads)
        {
            StartThreads();
        }

        long now = Stopwatch.GetTimestamp();
        WorkerThread? woken;
        bool isShortest;
        using (_lock.Enter())
        {
            // While a pool drains, its tasks may still submit the tasks that they need.
            if (_isCanceled || (_isClosed && CpuTask.Caller(this) is null))
            {
                throw Closed();
            }

            if (task.IsCanceled)
            {
                return false;
            }

            _submitted++;
            task.SliceLeft = task.Credit = task.Slice;
            isShortest = task.SliceLeft < _shortestSlice;
            _shortestSlice = isShortest ? task.SliceLeft : _shortestSlice;
            woken = Enqueue(task, now);
        }

        woken?.Wake();
        if (isShortest)
        {
            _timer.Wake(); // it may be waiting for a longer time
        }

        return true;
    }

    /// <summary>Runs a continuation of a task on a worker when the task gets one.</summary>
    public void Resume(CpuTask task, SendOrPostCallback callback, object? state)
    {
        bool isElsewhere;
        WorkerThread? woken = null;
        using (_lock.Enter())
        {
            if (WorkerThread.Current?.Slot is { } worker && worker.Task == task)
            {
                Unblock(worker);
            }

            isElsewhere = task.State == CpuTaskState.Ended || task.IsBlocked;
            if (!isElsewhere)
            {
                task.AddContinuation(callback, state);
            }

            if (task.State == CpuTaskState.Outside)
            {
                woken = Enqueue(task, Stopwatch.GetTimestamp());
            }
        }

        woken?.Wake();
        if (isElsewhere)
        {
            // The body did not wait for this continuation, or blocks until it has run.
            RunElsewhere(callback, state);
        }
    }

    /// <exception cref="OperationCanceledException">The task is canceled.</exception>
    public bool MustYield(CpuTask task)
    {
        task.ThrowIfCanceled();
        if (WorkerThread.Current?.Slot is not { } worker || worker.Task != task)
        {
            return true; // to return to a worker after a ConfigureAwait(false)
        }

        SliceReport report;
        using (_lock.Enter())
        {
            Unblock(worker);
            task.IsYielding = ShouldYield(worker, task, out report);
        }

        Statistics.Publish(report);
        return task.IsYielding;
    }

    /// <summary>Ends the current step of a thread's task and finds its next task, whose <see cref="WorkerSlot.Continuation"/> to run; null
    /// if the calling thread must wait. The thread must charge the task that it has left with its CPU time and, if that has ended, conclude
    /// it outside the lock.</summary>
    public CpuTask? Next(WorkerThread thread, out CpuTask? left, out bool hasEnded, out SliceReport report)
    {
        long now = Stopwatch.GetTimestamp();
        left = null;
        hasEnded = false;
        report = default;
        WorkerThread? woken = null;
        CpuTask? next;
        using (_lock.Enter())
        {
            WorkerSlot worker = thread.Slot!;
            Unblock(worker);
            if (worker.Task is { } last)
            {
                // The wait of the body has already ended, so it continues in the same slice.
                if (last is { HasContinuation: true, IsYielding: false, HasBodyEnded: false }
                    && !(last.NeedsAttention && ShouldYield(worker, last, out report)))
                {
                    worker.Continuation = last.TakeContinuation();
                    return last;
                }

                report = ReleaseWorker(worker, last, now);
                left = last;
                hasEnded = last.State == CpuTaskState.Ended;
            }

            if (IsOverCap)
            {
                Retire(thread);
                _spare.Push(thread);
                return null;
            }

            next = _queue.Take(ref worker.Overtaken, out bool isOvertaking, out bool isWhole);
            if (next is null)
            {
                thread.NextIdle = _idle;
                _idle = thread;
                woken = HasEnded ? thread : null; // If the pool ended before the thread's first step, nothing else wakes it.
            }
            else
            {
                Begin(worker, next, now, isOvertaking, isWhole);
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

    public List<CpuRunningTask> GetRunning()
    {
        long now = Stopwatch.GetTimestamp();
        using (_lock.Enter())
        {
            return [.. _workers.Where(worker => worker.Task is not null).Select(worker => ToRunning(worker, now))];
        }
    }

    /// <summary>Returns the CPU time of a task, including the current slice if called on its worker.</summary>
    public static TimeSpan GetCpuTime(CpuTask task)
    {
        long cpu = task.WaitForCharges();
        if (WorkerThread.Current is { Slot: { } worker } thread && worker.Task == task)
        {
            cpu += thread.GetSliceCpu();
        }

        return TimeSpan.FromTicks(cpu / TimeSpan.NanosecondsPerTick);
    }

    public long CountSubmitted() => Read(() => _submitted);

    public int CountWaiting() => Read(() => _queue.Count);

    /// <summary>Reads values under the lock.</summary>
    public T Read<T>(Func<T> read)
    {
        using (_lock.Enter())
        {
            return read();
        }
    }

    /// <summary>Runs a callback as a task of the thread pool, so that an exception of an async void method in the body is an unobserved
    /// task exception and does not end the process.</summary>
    private static void RunElsewhere(SendOrPostCallback callback, object? state) => RunElsewhere(() => callback(state));

    /// <summary>Runs code of the application as a task of the thread pool. An interrupt that the code leaves behind ends with it.</summary>
    private static void RunElsewhere(Action action) => Task.Run(() =>
    {
        try
        {
            action();
        }
        finally
        {
            _ = ThreadInterrupts.Clear();
        }
    });

    // ---- Under the lock ----

    private static CpuRunningTask ToRunning(WorkerSlot worker, long now) => new(
        worker.Task!.Name,
        Stopwatch.GetElapsedTime(Math.Min(worker.SliceStart, now), now), // the slice may be starting now
        worker.GetOverrun(now) is { } overrun ? Stopwatch.GetElapsedTime(0, overrun) : TimeSpan.Zero);

    /// <summary>Gives a task to an idle worker, or adds it to the queue. Returns the thread to wake outside the lock, if any.</summary>
    private WorkerThread? Enqueue(CpuTask task, long now)
    {
        if (task.State == CpuTaskState.Outside)
        {
            GiveCredit(task, now - task.WaitingSince);
        }

        task.State = CpuTaskState.Waiting;
        task.WaitingSince = task.SliceDueSince = now;
        if (_idle is { } thread)
        {
            _idle = thread.NextIdle;
            Begin(thread.Slot!, task, now, isOvertaking: false, isWhole: false);
            return thread;
        }

        _queue.Add(task);
        Interrupt(task, now);
        return null;
    }
}
