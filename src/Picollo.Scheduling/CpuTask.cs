using System.Diagnostics;

namespace Picollo.Scheduling;

/// <summary>The state of a task. Changes under the scheduler's lock.</summary>
internal enum CpuTaskState : byte
{
    /// <summary>Created, not submitted.</summary>
    Made,

    /// <summary>Waits for a worker.</summary>
    Waiting,

    /// <summary>Has a worker.</summary>
    Running,

    /// <summary>Awaits something that is not a worker, and comes back by <see cref="SynchronizationContext.Post"/>.</summary>
    Outside,

    Ended,
}

/// <summary>
/// One call of <c>RunAsync</c>: its body, what the scheduler knows of it, and the context that brings its continuations back to the
/// workers, one at a time.
/// </summary>
/// <remarks>One object is all of this, so that an empty task costs five allocations: this, the completion source, its task, and the
/// execution context and its map in which <see cref="Flow"/> is this task.</remarks>
internal abstract class CpuTask(CpuScheduler scheduler, Delegate named, CpuTaskOptions? options, CancellationToken token)
    : SynchronizationContext
{
    /// <summary>Whether a checkpoint has anything to look at. Only <c>Checkpoint</c> reads it without the lock.</summary>
    public volatile bool NeedsAttention;

    // The task in whose body the code of a flow runs, on a worker or not: behind ConfigureAwait(false), outside, in another pool's body.
    private static readonly AsyncLocal<CpuTask?> Flow = new();

    // Until it begins: it refers to the caller's task, and so to a chain of them without end where each starts the next.
    private ExecutionContext? _flow = ExecutionContext.Capture();
    private CpuTask? _parent = LivingOf(SynchronizationContext.Current as CpuTask ?? Flow.Value);

    // Bytes and an int, because the object is full: wider fields would make it larger.
    private readonly sbyte _priority = (sbyte)(options?.Priority ?? CpuTaskPriority.Normal);

    // Zero for the pool's.
    private readonly int _sliceMicroseconds = (int)(options?.Slice?.TotalMicroseconds ?? 0);

    // A string, or the delegate to name the task after.
    private object _name = (object?)options?.Name ?? named;
    private (SendOrPostCallback Callback, object? State)? _continuation;
    private Queue<(SendOrPostCallback, object?)>? _moreContinuations;
    private CancellationTokenRegistration _registration;
    private CancellationTokenSource? _cancellation;
    private bool _hasReturned;
    private Task? _body;
    private bool _isEndWatched;
    private Exception? _fault;

    // CPU time of the ended slices, in nanoseconds, and the number of ended slices whose time is still to be added.
    private long _cpu;
    private int _uncharged;

    public CpuScheduler Scheduler { get; } = scheduler;

    public string Name => _name is Delegate body ? (string)(_name = BodyName.Of(body)) : (string)_name;

    public CpuTaskPriority Priority => (CpuTaskPriority)_priority;

    /// <summary>The length of its slices, in <see cref="Stopwatch"/> ticks.</summary>
    public long Slice =>
        _sliceMicroseconds == 0 ? Scheduler.Slice : _sliceMicroseconds * Stopwatch.Frequency / 1_000_000;

    public CpuTaskState State { get; set; }

    public bool HasBegun { get; private set; }

    /// <summary>Whether it goes before tasks of its priority that are not: until it has used up its <see cref="Credit"/>.</summary>
    public bool IsShort { get; set; } = true;

    /// <summary>How long it may still run as a short task: a slice at first. Running takes it. Waiting for something other than a worker
    /// gives it back, up to a slice: the shorter a task runs and the longer it waits, the sooner it has a worker.</summary>
    public long Credit { get; set; }

    /// <summary>Number of first slices that passed nearly without the processor. A byte fits into the object's padding.</summary>
    public byte LostSlices { get; set; }

    /// <summary>The next task in the queue's line.</summary>
    public CpuTask? Next { get; set; }

    public CpuTask? Previous { get; set; }

    /// <summary>Start of the wait for a worker.</summary>
    public long WaitingSince { get; set; }

    /// <summary>Start of the wait for the rest of its slice. An interruption does not change it.</summary>
    public long SliceDueSince { get; set; }

    public long SliceLeft { get; set; }

    /// <summary>Whether it blocks the thread of its worker, so that another task runs in its place.</summary>
    public bool IsBlocked { get; set; }

    /// <summary>Whether a task that is blocked has started it, or one that has.</summary>
    public bool IsOfBlocked
    {
        get
        {
            CpuTask? ancestor = _parent;
            while (ancestor is { IsBlocked: false })
            {
                ancestor = ancestor._parent;
            }

            return ancestor is not null;
        }
    }

    /// <summary>The thread that waits in <c>Checkpoint</c> with a part of the task on its stack.</summary>
    public WorkerThread? StoppedThread { get; set; }

    /// <summary>Whether it gives its worker up when the current step ends.</summary>
    public bool StepsAside { get; set; }

    public int Slices { get; set; }

    public long WaitTicks { get; set; }

    /// <summary>The caller's.</summary>
    public CancellationToken Token => token;

    /// <summary>The task of a scheduler to whose body the calling code belongs, and that has not ended; null for none.</summary>
    public static CpuTask? Caller(CpuScheduler scheduler)
    {
        CpuTask? task = Current as CpuTask ?? Flow.Value;
        while (task is not null && (task.Scheduler != scheduler || task.State == CpuTaskState.Ended))
        {
            task = task._parent;
        }

        return task;
    }

    public bool IsCancelled => token.IsCancellationRequested || Scheduler.IsCancelled;

    public bool HasContinuation => _continuation is not null;

    public bool HasBodyEnded => _hasReturned && (_body is null || _body.IsCompleted);

    /// <summary>The caller's token and the pool's in one, created on the first use.</summary>
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

    /// <summary>Submits the task; <see cref="End"/> or <see cref="EndCancelled"/> completes it.</summary>
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

    /// <summary>Runs the body to its first wait, or the worker's continuation to the next; on the worker's thread.</summary>
    public void Run(WorkerSlot worker)
    {
        SetSynchronizationContext(this);
        try
        {
            if (!HasBegun)
            {
                HasBegun = true;
                ExecutionContext flow = _flow ?? WorkerThread.EmptyFlow!;
                _flow = null;
                ExecutionContext.Run(flow, static task => ((CpuTask)task!).BeginInFlow(), this);
                _hasReturned = true;
            }
            else if (worker.Continuation is { } next)
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

    /// <summary>Completes the task, outside of the lock. The caller's continuations run in the thread pool.</summary>
    public void End()
    {
        _ = _registration.Unregister();
        _cancellation?.Dispose();
        _parent = LivingOf(_parent); // A chain of tasks of which each starts the next would else keep all of them.
        Complete(_body, _fault);
    }

    /// <summary>Completes a task that never ran. The caller's token may live on, so it must not hold the task.</summary>
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

    /// <summary>A task, or, where it has ended, the nearest of those above it that have not.</summary>
    private static CpuTask? LivingOf(CpuTask? task)
    {
        while (task?.State == CpuTaskState.Ended)
        {
            task = task._parent;
        }

        return task;
    }

    private void BeginInFlow()
    {
        Flow.Value = this;
        _body = Begin();
    }

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

/// <summary>A task with a result: an unused <see cref="bool"/> where the body has none.</summary>
internal abstract class CpuTask<TResult>(CpuScheduler scheduler, Delegate named, CpuTaskOptions? options, CancellationToken token)
    : CpuTask(scheduler, named, options, token)
{
    // Continuations of the caller run in the thread pool, never on a worker.
    private readonly TaskCompletionSource<TResult> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<TResult> Task => _completion.Task;

    protected sealed override void CompleteCancelled() =>
        _completion.TrySetCanceled(Token.IsCancellationRequested ? Token : new CancellationToken(canceled: true));

    protected sealed override void Complete(Task? body, Exception? fault)
    {
        _ = (fault, body) switch
        {
            (OperationCanceledException, _) => _completion.TrySetFromTask(CancelledLike(System.Threading.Tasks.Task.FromException(fault))),
            (not null, _) => _completion.TrySetException(fault),
            (_, Task<TResult> withResult) => _completion.TrySetFromTask(withResult),
            (_, { Exception: { } failure }) => _completion.TrySetException(failure.InnerExceptions),
            (_, { IsCanceled: true }) => _completion.TrySetFromTask(CancelledLike(body)),
            _ => _completion.TrySetResult(Result),
        };
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
