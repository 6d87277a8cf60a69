namespace Picollo.Scheduling;

/// <content>Bodies that stop in <c>Checkpoint</c> together with their thread. Another thread takes over the worker in the
/// meantime.</content>
internal sealed partial class CpuScheduler
{
    /// <summary>The maximum number of stopped threads. Further bodies continue to run instead of yielding.</summary>
    public const int MaxStoppedThreads = 64;

    // Threads without a worker.
    private readonly Stack<WorkerThread> _spare = [];
    private readonly UninterruptedLock _starting = new();
    private int _stoppedThreads;
    private int _startedThreads;

    /// <summary>Yields like <see cref="MustYield"/>, but blocks the thread until the task gets a worker again.</summary>
    /// <exception cref="OperationCanceledException">The task is canceled.</exception>
    public void YieldBlocking(CpuTask task)
    {
        task.ThrowIfCanceled();
        if (WorkerThread.Current is not { Slot: { } worker } thread || worker.Task != task)
        {
            return; // the task has no worker
        }

        SliceReport report;
        WorkerThread? other = null;
        bool stops;
        using (_lock.Enter())
        {
            Unblock(worker);
            stops = ShouldYield(worker, task, out report) && _stoppedThreads < MaxStoppedThreads;
            if (stops)
            {
                _stoppedThreads++;
                _spare.TryPop(out other);
            }
        }

        if (!stops)
        {
            Statistics.Publish(report);
            return;
        }

        report = LeaveWorkerTo(other, worker, thread, task);
        thread.Charge(task);
        Statistics.Publish(report);
        thread.WaitForWorker();
        thread.Slot!.BeginAt(Stopwatch.GetTimestamp());
        task.ThrowIfCanceled();
    }

    /// <summary>Stops the calling thread with its task, and gives its worker to another thread; to a new one for null.</summary>
    private SliceReport LeaveWorkerTo(WorkerThread? other, WorkerSlot worker, WorkerThread thread, CpuTask task)
    {
        try
        {
            other ??= StartThread();
        }
        catch
        {
            using (_lock.Enter())
            {
                _stoppedThreads--;
            }

            throw; // The exception ends only the task, because the thread still has its worker.
        }

        SliceReport report;
        long now = Stopwatch.GetTimestamp();
        using (_lock.Enter())
        {
            task.StoppedThread = thread;
            report = ReleaseWorker(worker, task, now);
            thread.LeaveWorker();
            other.Take(worker);
        }

        other.Wake();
        return report;
    }

    /// <summary>Replaces the thread that took a stopped task from the queue with the task's own thread. Called under the lock.</summary>
    /// <returns>The thread to wake.</returns>
    private WorkerThread GiveWorkerBack(WorkerThread finder, CpuTask task)
    {
        WorkerThread stopped = task.StoppedThread!;
        HandOver(finder.Slot!, task);
        finder.LeaveWorker();
        _spare.Push(finder);
        return stopped;
    }

    /// <summary>Gives a worker to the thread that has stopped with a task. Called under the lock; the caller then wakes the
    /// thread.</summary>
    private void HandOver(WorkerSlot worker, CpuTask task)
    {
        task.StoppedThread!.Take(worker);
        task.StoppedThread = null;
        _stoppedThreads--;
    }

    /// <summary>Starts the workers and the timer, before the first task is submitted. If the system cannot create a thread, the next
    /// submission starts the remaining ones.</summary>
    private void StartThreads()
    {
        using (_starting.Enter())
        {
            if (_isClosed)
            {
                throw Closed();
            }

            for (; _startedThreads < WorkerCount; _startedThreads++)
            {
                new WorkerThread(this, _workers[_startedThreads], _startedThreads + 1).Start(_startThread);
            }

            if (!_hasThreads)
            {
                _startThread(new Thread(RunTimer) { IsBackground = true, Name = $"{Name} timer" });
                _hasThreads = true;
            }
        }
    }

    /// <summary>Creates the exception for a task that is submitted after <c>DrainAsync</c> or <c>Dispose</c> was called.</summary>
    private ObjectDisposedException Closed() => new(
        typeof(CpuWorkerPool).FullName, $"The pool '{Name}' accepts no new tasks, because it is drained or disposed.");

    /// <summary>Starts a thread without a worker.</summary>
    private WorkerThread StartThread()
    {
        var thread = new WorkerThread(this, slot: null, Interlocked.Increment(ref _startedThreads));
        thread.Start(_startThread);
        return thread;
    }
}
