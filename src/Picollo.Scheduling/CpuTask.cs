namespace Picollo.Scheduling;

/// <summary>Where a task is. Changes under the scheduler's lock.</summary>
internal enum CpuTaskState
{
    /// <summary>Made, not submitted.</summary>
    Made,

    /// <summary>Waits for a worker.</summary>
    Waiting,

    /// <summary>Has a worker.</summary>
    Running,

    /// <summary>Awaits something that is not a worker, and comes back by <see cref="SynchronizationContext.Post"/>.</summary>
    Outside,

    /// <summary>Has come to its end.</summary>
    Ended,
}

/// <summary>
/// One call of <c>RunAsync</c>: its body, what the scheduler knows of it, and the context that brings its continuations back to the
/// workers, one at a time.
/// </summary>
/// <remarks>One object is all of this, so that an empty task costs three allocations: this, the completion source and its
/// task.</remarks>
internal abstract class CpuTask(CpuScheduler scheduler, string name, CpuPriority priority, CancellationToken token) : SynchronizationContext
{
    // Read by Checkpoint, and by it alone without the lock: whether there is anything to look at.
    private volatile bool _needsAttention;

    private readonly ExecutionContext? _flow = ExecutionContext.Capture();
    private (SendOrPostCallback Callback, object? State)? _continuation;
    private Queue<(SendOrPostCallback, object?)>? _moreContinuations;
    private CancellationTokenRegistration _registration;
    private CancellationTokenSource? _cancellation;
    private bool _hasReturned;
    private Task? _body;
    private bool _isEndWatched;
    private Exception? _fault;

    // Of the slices that have ended, in nanoseconds, and of how many of these it is still to be added.
    private long _cpu;
    private int _uncharged;

    public CpuScheduler Scheduler { get; } = scheduler;

    public string Name { get; } = name;

    public CpuPriority Priority { get; } = priority;

    public CpuTaskState State { get; set; }

    public bool HasBegun { get; private set; }

    /// <summary>Until it has used up its first slice.</summary>
    public bool IsNew { get; set; } = true;

    /// <summary>How often its first slice passed nearly without the processor, and it was given another. A byte: it fits beside
    /// the others, and costs none.</summary>
    public byte LostSlices { get; set; }

    /// <summary>The neighbours in the line of those that wait.</summary>
    public CpuTask? Next { get; set; }

    /// <inheritdoc cref="Next"/>
    public CpuTask? Previous { get; set; }

    /// <summary>Since when it waits for a worker.</summary>
    public long WaitingSince { get; set; }

    /// <summary>Since when it waits for what it has left of its slice; being interrupted does not change it.</summary>
    public long SliceDueSince { get; set; }

    /// <summary>What it has left of its slice.</summary>
    public long SliceLeft { get; set; }

    /// <summary>The thread that has a part of it on its stack and waits in <c>CheckpointBlocking</c>.</summary>
    public WorkerThread? StoppedThread { get; set; }

    /// <summary>Whether it gives its worker up when the step at hand ends.</summary>
    public bool StepsAside { get; set; }

    public int Slices { get; set; }

    public long WaitTicks { get; set; }

    /// <summary>The caller's.</summary>
    public CancellationToken Token => token;

    /// <inheritdoc cref="_needsAttention"/>
    public bool NeedsAttention
    {
        get => _needsAttention;
        set => _needsAttention = value;
    }

    public bool IsCancelled => token.IsCancellationRequested || Scheduler.IsCancelled;

    public bool HasContinuation => _continuation is not null;

    public bool HasBodyEnded => _hasReturned && (_body is null || _body.IsCompleted);

    /// <summary>The caller's token and the pool's in one, made where it is asked for.</summary>
    public CancellationToken Cancellation
    {
        get
        {
            if (!token.CanBeCanceled)
            {
                return Scheduler.Cancellation;
            }

            if (_cancellation is null)
            {
                var made = CancellationTokenSource.CreateLinkedTokenSource(token, Scheduler.Cancellation);
                if (Interlocked.CompareExchange(ref _cancellation, made, null) is not null)
                {
                    made.Dispose();
                }
            }

            return _cancellation.Token;
        }
    }

    /// <summary>How it ended, once <see cref="HasBodyEnded"/>.</summary>
    public TaskStatus Outcome => _fault switch
    {
        OperationCanceledException => TaskStatus.Canceled,
        not null => TaskStatus.Faulted,
        null => _body?.Status ?? TaskStatus.RanToCompletion,
    };

    /// <summary>Submits the task; its end is told by <see cref="Complete"/> or <see cref="EndCancelled"/>.</summary>
    public void Submit()
    {
        if (token.CanBeCanceled)
        {
            _registration = token.UnsafeRegister(static task => ((CpuTask)task!).Scheduler.OnCancelled((CpuTask)task), this);
        }

        try
        {
            if (!Scheduler.TrySubmit(this))
            {
                EndCancelled();
            }
        }
        catch (ObjectDisposedException)
        {
            _ = _registration.Unregister();
            throw;
        }
    }

    public void ThrowIfCancelled()
    {
        if (IsCancelled)
        {
            throw new OperationCanceledException(token.IsCancellationRequested ? token : Scheduler.Cancellation);
        }
    }

    public void AddContinuation(SendOrPostCallback callback, object? state)
    {
        if (_continuation is null)
        {
            _continuation = (callback, state);
        }
        else
        {
            (_moreContinuations ??= new()).Enqueue((callback, state));
        }
    }

    /// <summary>Takes out the oldest; under the lock, like adding.</summary>
    public (SendOrPostCallback Callback, object? State)? TakeContinuation()
    {
        (SendOrPostCallback, object?)? first = _continuation;
        _continuation = _moreContinuations is { Count: > 0 } ? _moreContinuations.Dequeue() : null;
        return first;
    }

    /// <summary>Runs the body to its first wait, or a continuation to the next; on the worker.</summary>
    public void Run((SendOrPostCallback Callback, object? State)? continuation)
    {
        SetSynchronizationContext(this);
        try
        {
            if (!HasBegun)
            {
                HasBegun = true;
                ExecutionContext.Run(
                    _flow ?? WorkerThread.EmptyFlow!, static task => ((CpuTask)task!)._body = ((CpuTask)task).Begin(), this);
                _hasReturned = true;
            }
            else if (continuation is { } next)
            {
                next.Callback(next.State);
            }
        }
        catch (Exception e)
        {
            // Of a body that is not async, or of an async void method in it.
            _fault ??= e;
            _hasReturned = true;
        }

        WatchEnd();
        SetSynchronizationContext(null);
    }

    /// <summary>A slice has ended, and <see cref="Charge"/> comes soon.</summary>
    public void ExpectCharge() => Interlocked.Increment(ref _uncharged);

    /// <summary>Adds CPU time, by the thread that ran the slice.</summary>
    public void Charge(long nanoseconds)
    {
        Interlocked.Add(ref _cpu, nanoseconds);
        Interlocked.Decrement(ref _uncharged);
    }

    /// <summary>The CPU time that has been charged up to now.</summary>
    public long ChargedCpu => Volatile.Read(ref _cpu);

    /// <summary>The CPU time of the slices that have ended; waits for what is still to be added, less than a microsecond.</summary>
    public long WaitForCharges()
    {
        var spinner = new SpinWait();
        while (Volatile.Read(ref _uncharged) != 0)
        {
            spinner.SpinOnce();
        }

        return Volatile.Read(ref _cpu);
    }

    /// <summary>Tells whoever awaits the task, outside of the lock. Continuations run elsewhere.</summary>
    public void End()
    {
        _ = _registration.Unregister();
        _cancellation?.Dispose();
        Complete(_body, _fault);
    }

    /// <summary>The same for one that never ran. A caller's token may live on: it lets go of the task.</summary>
    public void EndCancelled()
    {
        _ = _registration.Unregister();
        CompleteCancelled();
    }

    public override void Post(SendOrPostCallback d, object? state) => Scheduler.Resume(this, d, state);

    public override SynchronizationContext CreateCopy() => this;

    /// <summary>Calls the body; null where it is not async.</summary>
    protected abstract Task? Begin();

    protected abstract void Complete(Task? body, Exception? fault);

    protected abstract void CompleteCancelled();

    /// <summary>A body may end elsewhere, behind <c>ConfigureAwait(false)</c>: then this posts nothing, for a worker to look.</summary>
    private void WatchEnd()
    {
        if (!_isEndWatched && _body is { IsCompleted: false } body && !HasContinuation)
        {
            _isEndWatched = true;
            SetSynchronizationContext(this); // The continuation is posted to it; what ran may have left another.
            body.GetAwaiter().UnsafeOnCompleted(static () => { });
        }
    }
}

/// <summary>A task with a result; <see cref="bool"/> and unused where there is none.</summary>
internal abstract class CpuTask<TResult>(CpuScheduler scheduler, string name, CpuPriority priority, CancellationToken token)
    : CpuTask(scheduler, name, priority, token)
{
    // Who awaits it goes on in the thread pool, never on a worker.
    private readonly TaskCompletionSource<TResult> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<TResult> Task => _completion.Task;

    protected sealed override void CompleteCancelled() =>
        _completion.TrySetCanceled(Token.IsCancellationRequested ? Token : new CancellationToken(canceled: true));

    protected sealed override void Complete(Task? body, Exception? fault)
    {
        if (fault is OperationCanceledException)
        {
            _completion.TrySetFromTask(CancelledLike(System.Threading.Tasks.Task.FromException(fault)));
        }
        else if (fault is not null)
        {
            _completion.TrySetException(fault);
        }
        else if (body is Task<TResult> withResult)
        {
            _completion.TrySetFromTask(withResult);
        }
        else if (body is { IsFaulted: true, Exception: { } failure })
        {
            _completion.TrySetException(failure.InnerExceptions);
        }
        else if (body is { IsCanceled: true })
        {
            _completion.TrySetFromTask(CancelledLike(body));
        }
        else
        {
            _completion.TrySetResult(Result);
        }
    }

    /// <summary>Of a body that is not async.</summary>
    protected virtual TResult Result => default!;

    /// <summary>An async method's task keeps the exception that cancelled it, with its message, cause and stack; nothing else can set
    /// one.</summary>
    private static async Task<TResult> CancelledLike(Task cancelled)
    {
        await cancelled.ConfigureAwait(false);
        return default!;
    }
}
