namespace Picollo.Scheduling;

/// <content>Cancellation of one task or all tasks, and the end of the pool.</content>
internal sealed partial class CpuScheduler
{
    private readonly CancellationTokenSource _cancellation = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _isClosed;
    private volatile bool _isCanceled;
    private long _concluded;

    /// <summary>Whether the remaining tasks were canceled.</summary>
    public bool IsCanceled => _isCanceled;

    public CancellationToken Cancellation => _cancellation.Token;

    /// <summary>A task that completes after <see cref="Close"/> when all tasks have ended.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Whether the pool has ended, so that its threads must end.</summary>
    public bool HasEnded => _ended.Task.IsCompleted;

    /// <summary>Refuses new tasks, except those that running tasks submit.</summary>
    public void Close()
    {
        using (_lock.Enter())
        {
            _isClosed = true;
        }

        EndIfDone();
    }

    /// <summary>Closes the scheduler and cancels all tasks: immediately if they have not started, otherwise at their next
    /// checkpoint.</summary>
    public void Cancel()
    {
        List<CpuTask> unstarted;
        using (_lock.Enter())
        {
            _isClosed = true;
            _isCanceled = true;
            unstarted = _queue.TakeUnstarted();
            unstarted.ForEach(MarkCanceled);

            foreach (WorkerSlot worker in _workers)
            {
                worker.Task?.NeedsAttention = true;
            }
        }

        unstarted.ForEach(EndUnstarted);
        EndIfDone();

        // The callbacks are the application's code. They run in the thread pool, and their exceptions are unobserved task exceptions.
        _ = _cancellation.CancelAsync();
    }

    /// <summary>Cancels a task whose caller has canceled its token.</summary>
    public void OnCanceled(CpuTask task)
    {
        bool isUnstarted;
        using (_lock.Enter())
        {
            isUnstarted = task is { State: CpuTaskState.Waiting, HasStarted: false };
            if (isUnstarted)
            {
                _queue.Remove(task);
                MarkCanceled(task);
            }
            else
            {
                task.NeedsAttention = true;
            }
        }

        if (isUnstarted)
        {
            EndUnstarted(task);
        }
    }

    public void Conclude(CpuTask task)
    {
        // Continuations that the body did not wait for. No more are added.
        while (task.TakeContinuation() is { } left)
        {
            RunElsewhere(left.Callback, left.State);
        }

        task.End();
        CountOut();
    }

    /// <summary>Marks a task that will not start as canceled. Called under the lock; the caller then calls <see cref="EndUnstarted"/>
    /// outside the lock.</summary>
    private void MarkCanceled(CpuTask unstarted)
    {
        unstarted.State = CpuTaskState.Ended;
        Statistics.CanceledCount++;
    }

    private void EndUnstarted(CpuTask task)
    {
        task.EndCanceled();
        CountOut();
    }

    private void CountOut()
    {
        _ = Interlocked.Increment(ref _concluded);
        if (_isClosed)
        {
            EndIfDone();
        }
    }

    private void EndIfDone()
    {
        using (_lock.Enter())
        {
            if (!_isClosed || Interlocked.Read(ref _concluded) != _submitted || !_ended.TrySetResult())
            {
                return;
            }

            // Threads in neither list see HasEnded before they wait.
            for (WorkerThread? thread = _idle; thread is not null; thread = thread.NextIdle)
            {
                thread.Wake();
            }

            foreach (WorkerThread thread in _spare)
            {
                thread.Wake();
            }
        }

        _timer.Wake();
    }
}
