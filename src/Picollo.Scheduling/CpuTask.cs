namespace Picollo.Scheduling;

/// <summary>The state of a task. It changes only under the scheduler's lock.</summary>
internal enum CpuTaskState : byte
{
    Created,
    Waiting,
    Running,

    /// <summary>The task awaits something other than a worker, and returns by <see cref="SynchronizationContext.Post"/>.</summary>
    Outside,

    Ended,
}

/// <summary>
/// One call of <c>RunAsync</c>: its body, its scheduling state, and the synchronization context that returns its continuations to the
/// workers, one at a time.
/// </summary>
/// <remarks>These are one object, so that an empty task costs five allocations: this object, the completion source, its task, and the
/// execution context and its map in which <see cref="Flow"/> is this task.</remarks>
internal abstract class CpuTask(CpuScheduler scheduler, Delegate named, CpuTaskOptions? options, CancellationToken token)
    : SynchronizationContext
{
    /// <summary>Whether a checkpoint must call the scheduler. Only checkpoints read it without the lock.</summary>
    public volatile bool NeedsAttention;

    // The task whose body contains the code of a flow, even if the code does not run on a worker of the task: after ConfigureAwait(false),
    // in RunOutsideAsync, or in a body of another pool.
    private static readonly AsyncLocal<CpuTask?> Flow = new();

    // Cleared when the task starts, because it refers to the caller's task. Otherwise, a chain of tasks in which each starts the next keeps
    // all of them alive.
    private ExecutionContext? _flow = ExecutionContext.Capture();
    private CpuTask? _parent = NearestLiving(SynchronizationContext.Current as CpuTask ?? Flow.Value);

    // Small fields, because wider ones would make the object larger.
    private readonly sbyte _priority = (sbyte)(options?.Priority ?? CpuTaskPriority.Normal);

    // Zero for the pool's default.
    private readonly int _sliceMicroseconds = (int)(options?.Slice?.TotalMicroseconds ?? 0);

    // A string, or the delegate from which the name is created.
    private object _name = (object?)options?.Name ?? named;
    private (SendOrPostCallback Callback, object? State)? _continuation;
    private Queue<(SendOrPostCallback, object?)>? _moreContinuations;
    private CancellationTokenRegistration _registration;
    private EitherCancellation? _cancellation;

    // The task of the body; null until the first step has ended, and a completed task for a body that is not async or has thrown.
    private Task? _body;
    private Exception? _fault;

    // The CPU time of the ended slices, in nanoseconds, and the number of ended slices whose time has not been added yet.
    private long _cpu;
    private int _uncharged;

    public CpuScheduler Scheduler { get; } = scheduler;

    public string Name => _name is Delegate body ? (string)(_name = BodyName.FromDelegate(body)) : (string)_name;

    public CpuTaskPriority Priority => (CpuTaskPriority)_priority;

    /// <summary>The length of the task's slices, in <see cref="Stopwatch"/> ticks.</summary>
    public long Slice =>
        _sliceMicroseconds == 0 ? Scheduler.Slice : _sliceMicroseconds * Stopwatch.Frequency / 1_000_000;

    public CpuTaskState State { get; set; }

    public bool HasStarted { get; private set; }

    /// <summary>Whether the task precedes tasks of its priority that are not short. It is short until its <see cref="Credit"/> is used
    /// up.</summary>
    public bool IsShort { get; set; } = true;

    /// <summary>The remaining time that the task may run as a short task, initially one slice. Running decreases it. Waiting for something
    /// other than a worker increases it, up to a slice: the less a task runs and the more it waits, the sooner it gets a worker.</summary>
    public long Credit { get; set; }

    /// <summary>The number of first slices in which the task had almost no CPU time. A byte fits into the object's padding.</summary>
    public byte LostSlices { get; set; }

    /// <summary>The next task in the line of the queue.</summary>
    public CpuTask? Next { get; set; }

    public CpuTask? Previous { get; set; }

    public long WaitingSince { get; set; }

    /// <summary>The start of the wait for the current slice. An interruption of the slice does not change it.</summary>
    public long SliceDueSince { get; set; }

    public long SliceLeft { get; set; }

    /// <summary>Whether the task blocks the thread of its worker, so that another task runs in its place.</summary>
    public bool IsBlocked { get; set; }

    /// <summary>Whether a blocked task has started this task, directly or indirectly.</summary>
    public bool HasBlockedAncestor
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

    /// <summary>Whether the task yields its worker when the current step ends.</summary>
    public bool IsYielding { get; set; }

    public int Slices { get; set; }

    public long WaitTicks { get; set; }

    public CancellationToken Token => token;

    /// <summary>Returns the task of a scheduler whose body contains the calling code and that has not ended; null for none.</summary>
    public static CpuTask? Caller(CpuScheduler scheduler)
    {
        CpuTask? task = Current as CpuTask ?? Flow.Value;
        while (task is not null && (task.Scheduler != scheduler || task.State == CpuTaskState.Ended))
        {
            task = task._parent;
        }

        return task;
    }

    public bool IsCanceled => token.IsCancellationRequested || Scheduler.IsCanceled;

    public bool HasContinuation => _continuation is not null;

    /// <summary>Whether the body has ended. A worker notices it after a step. Each body that does not end in its first step posts an empty
    /// continuation when it ends, so that a worker also looks if it ends elsewhere.</summary>
    public bool HasBodyEnded => _body is { IsCompleted: true };

    /// <summary>The combination of the caller's token and the pool's token, created on first use. The registrations on it end with the
    /// task. After that, this is the caller's token.</summary>
    public CancellationToken Cancellation
    {
        get
        {
            if (State == CpuTaskState.Ended)
            {
                return token;
            }

            if (_cancellation is null)
            {
                EitherCancellation made = new(token, Scheduler.Cancellation);
                if (Interlocked.CompareExchange(ref _cancellation, made, null) is not null || State == CpuTaskState.Ended)
                {
                    made.End();
                }
            }

            return _cancellation.Token;
        }
    }

    /// <summary>The status of the task. Valid if <see cref="HasBodyEnded"/>.</summary>
    public TaskStatus Outcome => _fault switch
    {
        OperationCanceledException => TaskStatus.Canceled,
        not null => TaskStatus.Faulted,
        null => _body?.Status ?? TaskStatus.RanToCompletion,
    };

    /// <summary>Submits the task. <see cref="End"/> or <see cref="EndCanceled"/> completes it.</summary>
    public void Submit()
    {
        if (token.CanBeCanceled)
        {
            _registration = token.UnsafeRegister(static task => ((CpuTask)task!).Scheduler.OnCanceled((CpuTask)task), this);
        }

        try
        {
            if (!Scheduler.TrySubmit(this))
            {
                EndCanceled();
            }
        }
        catch
        {
            _ = _registration.Unregister();
            throw;
        }
    }

    public void ThrowIfCanceled()
    {
        if (IsCanceled)
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

    /// <summary>Removes and returns the oldest continuation; null for none. Called under the lock, like
    /// <see cref="AddContinuation"/>.</summary>
    public (SendOrPostCallback Callback, object? State)? TakeContinuation()
    {
        (SendOrPostCallback, object?)? first = _continuation;
        _continuation = _moreContinuations is { Count: > 0 } ? _moreContinuations.Dequeue() : null;
        return first;
    }

    /// <summary>Runs the body until its first wait, or the worker's continuation until the next wait. Called on the worker's
    /// thread.</summary>
    public void Run(WorkerSlot worker)
    {
        bool isFirst = !HasStarted;
        SetSynchronizationContext(this);
        try
        {
            if (isFirst)
            {
                HasStarted = true;
                ExecutionContext flow = _flow ?? WorkerThread.EmptyFlow!;
                _flow = null;
                ExecutionContext.Run(flow, static task => ((CpuTask)task!).BeginInFlow(), this);
            }
            else if (worker.Continuation is { } next)
            {
                next.Callback(next.State);
            }
        }
        catch (Exception e)
        {
            // The exception of a body that is not async, or of an async void method in the body.
            _fault ??= e;
            _body ??= Task.CompletedTask;
        }

        WorkerThread.LeaveUserCode();
        if (isFirst && !HasBodyEnded)
        {
            WatchEnd();
        }
    }

    /// <summary>Records that a slice has ended and that a call to <see cref="Charge"/> will follow.</summary>
    public void ExpectCharge() => Interlocked.Increment(ref _uncharged);

    /// <summary>Adds the CPU time of an ended slice. Called by the thread that ran the slice.</summary>
    public void Charge(long nanoseconds)
    {
        Interlocked.Add(ref _cpu, nanoseconds);
        Interlocked.Decrement(ref _uncharged);
    }

    public long ChargedCpu => Volatile.Read(ref _cpu);

    /// <summary>Returns the CPU time of the ended slices, in nanoseconds. Waits for CPU time that has not been added yet, for less than a
    /// microsecond.</summary>
    public long WaitForCharges()
    {
        var spinner = new SpinWait();
        while (Volatile.Read(ref _uncharged) != 0)
        {
            spinner.SpinOnce();
        }

        return Volatile.Read(ref _cpu);
    }

    /// <summary>Completes the task, outside the lock. The caller's continuations run in the thread pool.</summary>
    public void End()
    {
        _ = _registration.Unregister();
        _cancellation?.End();
        _parent = NearestLiving(_parent); // for the same reason as _flow
        Complete(_body, _fault);
    }

    /// <summary>Completes a task that never ran. Unregisters from the caller's token, which may outlive the task.</summary>
    public void EndCanceled()
    {
        _ = _registration.Unregister();
        CompleteCanceled();
    }

    public override void Post(SendOrPostCallback d, object? state) => Scheduler.Resume(this, d, state);

    public override SynchronizationContext CreateCopy() => this;

    /// <returns>The task of an async body; null for a body that is not async.</returns>
    protected abstract Task? Begin();

    protected abstract void Complete(Task? body, Exception? fault);

    protected abstract void CompleteCanceled();

    /// <summary>Returns the task, or its nearest ancestor that has not ended if the task has ended; null for none.</summary>
    private static CpuTask? NearestLiving(CpuTask? task)
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
        _body = Begin() ?? Task.CompletedTask;
    }

    /// <summary>Posts an empty continuation when the body ends, unless it ends in code of the task itself. A body can end outside the pool:
    /// after <c>ConfigureAwait(false)</c>, or if the thread pool runs its continuation because its worker is blocked.</summary>
    private void WatchEnd()
    {
        SetSynchronizationContext(this); // The continuation is posted to it.
        _body!.GetAwaiter().UnsafeOnCompleted(static () => { });
        SetSynchronizationContext(null);
    }
}

/// <summary>A task with a result, which is an unused <see cref="bool"/> if the body has no result.</summary>
internal abstract class CpuTask<TResult>(CpuScheduler scheduler, Delegate named, CpuTaskOptions? options, CancellationToken token)
    : CpuTask(scheduler, named, options, token)
{
    // The caller's continuations run in the thread pool, never on a worker.
    private readonly TaskCompletionSource<TResult> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<TResult> Task => _completion.Task;

    protected sealed override void CompleteCanceled() =>
        _completion.TrySetCanceled(Token.IsCancellationRequested ? Token : new CancellationToken(canceled: true));

    protected sealed override void Complete(Task? body, Exception? fault)
    {
        _ = (fault, body) switch
        {
            (OperationCanceledException, _) => _completion.TrySetFromTask(CanceledLike(System.Threading.Tasks.Task.FromException(fault))),
            (not null, _) => _completion.TrySetException(fault),
            (_, Task<TResult> withResult) => _completion.TrySetFromTask(withResult),
            (_, { Exception: { } failure }) => _completion.TrySetException(failure.InnerExceptions),
            (_, { IsCanceled: true }) => _completion.TrySetFromTask(CanceledLike(body)),
            _ => _completion.TrySetResult(Result),
        };
    }

    /// <summary>The result of a body that is not async.</summary>
    protected virtual TResult Result => default!;

    /// <summary>Returns a canceled task with the exception of another one, including its message, inner exception and stack trace. Only the
    /// task of an async method can have such an exception.</summary>
    private static async Task<TResult> CanceledLike(Task canceled)
    {
        await canceled.ConfigureAwait(false);
        return default!;
    }
}
