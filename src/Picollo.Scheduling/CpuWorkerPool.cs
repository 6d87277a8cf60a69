using Picollo.Cpu;

namespace Picollo.Scheduling;

/// <summary>
/// Runs CPU-heavy work on a few dedicated threads, in time slices, so that everything else in the process remains responsive, and short
/// tasks do not wait for long ones.
/// </summary>
/// <remarks>
/// <para><b>The problem.</b> If all threads of the thread pool are busy with computations, a request that only waits for a millisecond does
/// not get a thread. Work in this pool uses at most <see cref="WorkerCount"/> processors.</para>
/// <para><b>Time slices.</b> The work calls <see cref="CpuTaskContext.CheckpointAsync"/> as it proceeds. At a checkpoint, a task yields its
/// worker if its slice has ended and other tasks wait, or if a short task arrives. (Short tasks that were already waiting when the task got
/// its worker interrupt it only after a tenth of a slice.) Waiting tasks are ordered by priority, then short tasks before long ones, then
/// by arrival. A task is short until it has run for its first slice. It becomes short again after it has waited for something other than a
/// worker, and may then run for as long as it waited, up to a slice. Therefore, the less a task runs and the more it waits, the sooner it
/// gets a worker, regardless of its past.</para>
/// <para><b>No starvation.</b> When later tasks have used a worker for the time of four slices while earlier tasks waited, the worker gives
/// the next slice to the task that has waited longest. With <i>k</i> tasks waiting before it, a task therefore gets its slice within
/// 5·⌈(<i>k</i>+1)/<see cref="WorkerCount"/>⌉ time slices plus the overruns of the tasks. If tasks have their own slices
/// (<see cref="CpuTaskOptions.Slice"/>), the longest one counts.</para>
/// <para><b>await.</b> A body returns to the workers after each <c>await</c>, and its parts run one at a time. While it awaits something
/// other than a checkpoint, such as <c>RunAsync</c> in a body, it has no worker. The caller's code after an await of a task never runs on
/// the task's worker.</para>
/// <para><b>Blocking.</b> A body blocks in <c>Wait</c> and <c>Result</c> of a task, in a <c>lock</c> that another body holds, in a sleep,
/// and in synchronous I/O. Use await instead, or <see cref="CpuTaskContext.RunOutsideAsync(Func{CancellationToken, Task})"/>. A worker is
/// blocked if it was asked to yield and its thread waits without using CPU time for 20 ms (50 ms on Windows and macOS, where only waits of
/// managed code are detected). A blocked worker does not count as a running one. Bodies that have stopped in
/// <see cref="CpuTaskContext.Checkpoint"/> run first in its place, because they may hold the lock. Then other tasks run on up to
/// <see cref="CpuWorkerPoolOptions.MaxExtraThreads"/> extra threads. Async methods that the blocked body waits for continue in the thread
/// pool. Therefore, a body may hold a lock across a checkpoint, and may wait for a task of its pool. Each such wait costs 30 to 50 ms and a
/// thread of about 100 KB. <see cref="WorkerBlocked"/> reports the name of the body. When the body continues, other bodies yield at their
/// next checkpoints until at most <see cref="WorkerCount"/> bodies run.</para>
/// <para><b>Other threads.</b> <see cref="Parallel"/> and PLINQ in a body use the thread pool in addition to the workers, unless they use
/// <see cref="TaskScheduler"/>. <see cref="TaskCreationOptions.AttachedToParent"/> does not attach tasks to a body. A
/// <see cref="CpuTaskContext"/> belongs to its task. A body of another task or of another pool needs its own context.</para>
/// <para><b>Cost.</b> A task consists of five objects of about 400 bytes in total. Submitting and awaiting it takes 1 to 2 µs if its worker
/// is awake. A worker without a task looks for one for 20 µs and then sleeps. A task that wakes it starts 10 to 100 µs later.
/// (<c>./build.sh bench compare scheduling</c> measures these costs.) The pool's threads are background threads. They end when the pool is
/// disposed or drained.</para>
/// <para>All members are thread-safe. An exception ends only its task. If a body interrupts its own thread, the interrupt is ignored unless
/// the thread blocks before the body's next await or its end.</para>
/// <example>
/// <code>
/// await using var pool = new CpuWorkerPool();
/// uint checksum = await pool.RunAsync(async cpu =&gt;
/// {
///     var crc = new Crc32();
///     foreach (ReadOnlyMemory&lt;byte&gt; block in blocks)
///     {
///         crc.Append(block.Span);
///         await cpu.CheckpointAsync();
///     }
///
///     return crc.GetCurrentHashAsUInt32();
/// });
/// </code>
/// </example>
/// </remarks>
public sealed partial class CpuWorkerPool : IAsyncDisposable, IDisposable
{
    // An async lambda matches all kinds of bodies, and must be treated as one that returns a Task. In a loop, a body that returns a
    // ValueTask must not be treated as an Action.
    private const int TaskBody = 2, ValueTaskBody = 1;

    /// <summary>The name, which fits into Linux's limit of 15 characters for the name of a thread together with the thread's
    /// number.</summary>
    private const string SharedName = "Shared worker";

    private static CpuWorkerPool? _shared;
    private static object? _sharedLock;

    private readonly CpuScheduler _scheduler;
    private readonly bool _isShared;

    /// <summary>Initializes a pool. Its threads, which are the workers and a timer, start with the first task.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="MeasurementUnavailableException">This system does not report a thread's CPU time.</exception>
    public CpuWorkerPool(CpuWorkerPoolOptions? options = null)
        : this(options, CpuUsageReader.GetThreadTimeNanoseconds)
    {
    }

    /// <summary>Initializes a pool with another function that reads the thread's CPU time, for tests.</summary>
    internal CpuWorkerPool(CpuWorkerPoolOptions? options, Func<long> readThreadTime)
    {
        _ = readThreadTime(); // throws here if unavailable, because an exception on a worker would end the process
        _scheduler = new CpuScheduler(options ?? new CpuWorkerPoolOptions()) { Blocked = running => WorkerBlocked?.Invoke(this, running) };
        TaskScheduler = new CpuTaskScheduler(this);
    }

    private CpuWorkerPool(bool isShared)
        : this(new CpuWorkerPoolOptions { Name = SharedName }) => _isShared = isShared;

    /// <summary>The pool that all code in the process shares, with default options and the name "Shared worker".</summary>
    /// <remarks>
    /// <para>The first use creates the pool. Its threads are background threads, so they do not keep the process running.</para>
    /// <para>The pool lasts as long as the process, because other code may use it. <see cref="Dispose"/> and <see cref="DisposeAsync"/>
    /// therefore have no effect, as with <c>MemoryPool&lt;T&gt;.Shared</c>, and <see cref="DrainAsync"/> throws
    /// <see cref="InvalidOperationException"/>. Create a pool if you need other options or must wait for all tasks.</para>
    /// <para>All code in the process shares its workers and its <see cref="Statistics"/>. Libraries should take a pool from their
    /// callers.</para>
    /// </remarks>
    /// <exception cref="MeasurementUnavailableException">This system does not report a thread's CPU time.</exception>
    public static CpuWorkerPool Shared =>
        // Unlike Lazy<T> and the initializer of a static field, this tries again after an exception.
        LazyInitializer.EnsureInitialized(ref _shared, ref _sharedLock, static () => new CpuWorkerPool(isShared: true));

    /// <summary>The name of the pool, which is used in the names of its threads and in its metrics.</summary>
    public string Name => _scheduler.Name;

    /// <summary>The maximum number of tasks that run at a time.</summary>
    public int WorkerCount => _scheduler.WorkerCount;

    /// <summary>A scheduler that runs tasks in the pool, for code that takes a <see cref="System.Threading.Tasks.TaskScheduler"/>, such as
    /// <c>ParallelOptions</c> and <c>ExecutionDataflowBlockOptions</c>. Each part of a task between two awaits is a task of the pool with
    /// the name <c>TaskScheduler</c>. It has no checkpoints, so it should be short. After the pool is drained or disposed, remaining parts
    /// run in the thread pool.</summary>
    /// <remarks>
    /// <example>
    /// <code>
    /// await Parallel.ForEachAsync(blocks, new ParallelOptions { TaskScheduler = pool.TaskScheduler }, async (block, token) =&gt;
    /// {
    ///     Compress(block);
    ///     await SaveAsync(block, token);
    /// });
    /// var hash = new TransformBlock&lt;byte[], byte[]&gt;(SHA256.HashData, new() { TaskScheduler = pool.TaskScheduler });
    /// </code>
    /// </example>
    /// </remarks>
    public TaskScheduler TaskScheduler { get; }

    /// <summary>The pool's statistics.</summary>
    public CpuWorkerStatistics Statistics => _scheduler.Statistics;

    /// <summary>Runs a body on the workers. Never blocks, because any number of tasks may be queued. The first call starts
    /// the threads of the pool.</summary>
    /// <param name="body">The work. It is called on a worker with the caller's <see cref="ExecutionContext"/>. It needs a checkpoint every
    /// 10 to 100 µs of work. Without checkpoints, it keeps its worker until it ends, and the statistics report its name.</param>
    /// <param name="options">The options of the task, which are copied; <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">A token that cancels the task: immediately if it has not started, otherwise at its next
    /// checkpoint.</param>
    /// <returns>A task that ends with the result, the exception or the cancellation of the body. Code that awaits it continues in the
    /// thread pool or in its own context.</returns>
    /// <remarks>
    /// <para>As with <see cref="Task.Run(Func{Task})"/>, a body is synchronous or returns a <see cref="Task"/>. For a method that returns a
    /// <see cref="ValueTask"/>, use <c>async cpu =&gt; await WorkAsync(cpu)</c>.</para>
    /// <para>In F#, specify the type of a result: <c>pool.RunAsync&lt;int&gt;(fun cpu -> task { … })</c>.</para>
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <exception cref="ArgumentNullException">The body is <see langword="null"/>.</exception>
    /// <exception cref="OutOfMemoryException">The system cannot create the threads of the pool. The next call tries again.</exception>
    [OverloadResolutionPriority(TaskBody)]
    public Task RunAsync(
        Func<CpuTaskContext, Task> body, CpuTaskOptions? options = null, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<bool>(_scheduler, body, body, options, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    [OverloadResolutionPriority(TaskBody)]
    public Task<TResult> RunAsync<TResult>(
        Func<CpuTaskContext, Task<TResult>> body, CpuTaskOptions? options = null, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<TResult>(_scheduler, body, body, options, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    public Task RunAsync(
        Action<CpuTaskContext> body, CpuTaskOptions? options = null, CancellationToken cancellationToken = default) =>
        Submit(body, new SyncCpuTask(_scheduler, body, options, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentException">The type of the result is a <see cref="ValueTask"/>, so the body is not synchronous.</exception>
    public Task<TResult> RunAsync<TResult>(
        Func<CpuTaskContext, TResult> body, CpuTaskOptions? options = null, CancellationToken cancellationToken = default) =>
        Submit(body, new SyncCpuTask<TResult>(_scheduler, body, options, cancellationToken));

    /// <summary>Occurs when the pool detects that a body blocks its worker while tasks wait. Other bodies run in its place until it
    /// continues. The event is raised in the thread pool, in any order.</summary>
    public event EventHandler<CpuRunningTask>? WorkerBlocked;

    /// <summary>Refuses new tasks, and waits until the submitted tasks have ended. Running tasks may still start other tasks.</summary>
    /// <param name="cancellationToken">A token that cancels the remaining tasks. They end at their next checkpoint, and operations that a
    /// body awaits must observe <see cref="CpuTaskContext.CancellationToken"/>.</param>
    /// <returns>A task that completes without an exception when the last task has ended. Further calls also wait.</returns>
    /// <exception cref="InvalidOperationException">The caller is a task of this pool, which would wait for itself, or this is the
    /// <see cref="Shared"/> pool, which never ends.</exception>
    public Task DrainAsync(CancellationToken cancellationToken = default)
    {
        if (_isShared)
        {
            throw new InvalidOperationException(
                $"{nameof(CpuWorkerPool)}.{nameof(Shared)} cannot be drained, because other code in the process may use it. "
                + "Await its tasks instead.");
        }

        ThrowIfOwnTask();
        return Drain();

        async Task Drain()
        {
            _scheduler.Close();
            await using (cancellationToken
                .UnsafeRegister(static scheduler => ((CpuScheduler)scheduler!).Cancel(), _scheduler)
                .ConfigureAwait(false))
            {
                await _scheduler.Ended.ConfigureAwait(false);
            }
        }
    }

    /// <summary>Cancels all tasks, and waits until the started tasks reach their next checkpoint. To let tasks finish, drain the pool
    /// first. Has no effect on the <see cref="Shared"/> pool.</summary>
    /// <remarks>
    /// <para>The wait never ends if a body awaits an operation that never ends and does not observe
    /// <see cref="CpuTaskContext.CancellationToken"/>.</para>
    /// <para>Callbacks that are registered on this token run in the thread pool. Their exceptions are reported by
    /// <see cref="TaskScheduler.UnobservedTaskException"/>.</para>
    /// </remarks>
    /// <returns>A task that completes when the last task has ended. Further calls also wait.</returns>
    /// <exception cref="InvalidOperationException">The caller is a task of this pool, which would wait for itself.</exception>
    public ValueTask DisposeAsync()
    {
        if (_isShared)
        {
            return ValueTask.CompletedTask;
        }

        ThrowIfOwnTask();
        _scheduler.Cancel();
        return new ValueTask(_scheduler.Ended);
    }

    /// <summary>Cancels all tasks, and blocks until the started tasks reach their next checkpoint. Has no effect on the
    /// <see cref="Shared"/> pool.</summary>
    /// <inheritdoc cref="DisposeAsync" path="/exception"/>
    public void Dispose()
    {
        if (_isShared)
        {
            return;
        }

        ThrowIfOwnTask();
        _scheduler.Cancel();
        _scheduler.Ended.Wait();
    }

    private void ThrowIfOwnTask()
    {
        if (CpuTask.Caller(_scheduler) is { } task)
        {
            throw new InvalidOperationException(
                $"The task {task.Name} of pool '{Name}' cannot wait for the end of its own pool, because it would wait for itself.");
        }
    }

    private static Task<TResult> Submit<TResult>(Delegate body, CpuTask<TResult> task)
    {
        ArgumentNullException.ThrowIfNull(body);
        task.Submit();
        return task.Task;
    }
}

/// <summary>A <see cref="TaskScheduler"/> that runs tasks in a pool. Each part of a task between two awaits is a task of the
/// pool.</summary>
internal sealed class CpuTaskScheduler(CpuWorkerPool pool) : TaskScheduler
{
    private static readonly CpuTaskOptions Options = new() { Name = nameof(TaskScheduler) };

    public override int MaximumConcurrencyLevel => pool.WorkerCount;

    protected override void QueueTask(Task task)
    {
        try
        {
            _ = pool.RunAsync(_ => Execute(task), Options);
        }
        catch (ObjectDisposedException)
        {
            // The task resumes from an await after the pool has ended. Run the rest in the thread pool, because no code would observe an
            // exception here, and the task would never end.
            _ = Task.Factory.StartNew(() => TryExecuteTask(task), CancellationToken.None, TaskCreationOptions.DenyChildAttach, Default);
        }
    }

    // Runs inline on a worker, which would otherwise wait for another worker. The queued pool task then does nothing.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Current == this && SynchronizationContext.Current is null && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    // Removes the context of the pool's task, which ends with this part. An await then continues in another task of the pool.
    private void Execute(Task task)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        _ = TryExecuteTask(task);
    }
}
