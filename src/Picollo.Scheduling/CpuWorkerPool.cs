using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Scheduling;

/// <summary>
/// Runs CPU-heavy work on a few dedicated threads, in time slices, so that everything else in the process stays responsive, and short
/// tasks among the work do not wait for long ones.
/// </summary>
/// <remarks>
/// <para><b>The problem.</b> A thread pool that is full of computations has no thread for a request that only waits a millisecond. Work
/// in this pool takes at most <see cref="WorkerCount"/> processors.</para>
/// <para><b>Time slices.</b> The work calls <see cref="CpuTaskContext.CheckpointAsync"/> as it goes. There a task gives its worker up
/// if its slice is over and others wait, or if a short task comes. (If other short tasks waited already, a short task first has the
/// worker for a tenth of a slice.) Tasks are ordered by priority, in it short ones before those that were set aside, in order of
/// arrival. A task is short until it has run for its first slice, and again when it has waited for something other than a worker: it
/// may then run for as long as it waited, up to a slice. So the shorter a task runs and the longer it waits, the sooner it has a
/// worker, whatever it did before.</para>
/// <para><b>No starvation.</b> When tasks that came later have taken four slices' time of a worker ahead of others, it gives the next slice
/// to the one that has waited longest. So with <i>k</i> tasks waiting before it, a task gets its slice within
/// 5·⌈(<i>k</i>+1)/<see cref="WorkerCount"/>⌉ time slices plus the tasks' overruns. If tasks have their own slices
/// (<see cref="CpuTaskOptions.Slice"/>), the longest one counts.</para>
/// <para><b>await.</b> A body comes back to the workers after each <c>await</c>, and its parts run one at a time. While it awaits something
/// other than a checkpoint it has no worker; <c>RunAsync</c> within a body is such a wait. The caller's
/// code after an await of a task never runs on the task's worker.</para>
/// <para><b>Blocking.</b> What blocks in a body: <c>Wait</c> and <c>Result</c> of a task, a <c>lock</c> that another body holds, a
/// sleep, I/O that is not asynchronous. Await instead, or use <see cref="CpuTaskContext.RunOutsideAsync(Func{CancellationToken,
/// Task})"/>. A worker that was asked to yield, and whose thread waits and takes no CPU time for 20 ms (50 ms on Windows and macOS,
/// where only waits of managed code are seen), does not count: first bodies go on that have stopped in <see
/// cref="CpuTaskContext.Checkpoint"/>, because they may hold the lock, then other tasks on up to <see
/// cref="CpuWorkerPoolOptions.MaxExtraThreads"/> further threads; and async methods that the blocked body waits for continue in the
/// thread pool. So a lock may be held over a checkpoint, and a body may wait for a task of its pool. It costs 30 to 50 ms each time,
/// and a thread of some 100 KB. <see cref="WorkerBlocked"/> names the body. Once it goes on, bodies step aside at their next
/// checkpoints until no more than <see cref="WorkerCount"/> run.</para>
/// <para><b>Other threads.</b> <see cref="Parallel"/> and PLINQ in a body use the thread pool, beyond the workers, unless they are given
/// <see cref="TaskScheduler"/>. <see cref="TaskCreationOptions.AttachedToParent"/> attaches nothing to a body. A
/// <see cref="CpuTaskContext"/> belongs to its task: a body of another task, or of another pool, needs its own.</para>
/// <para><b>Cost.</b> A task is five objects, some 400 bytes, and 1 to 2 µs to submit and await where its worker is awake. A worker
/// without a task looks for one for 20 µs and then sleeps: the task that wakes it begins 10 to 100 µs later. (<c>./build.sh bench compare
/// scheduling</c>.) The pool's threads are background threads and live until it is disposed, or drained.</para>
/// <para>All members are thread-safe. An exception ends its task and nothing else.</para>
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
    // An async lambda fits all kinds of bodies and must mean a Task. A body that returns a ValueTask must not be taken for one with a
    // ValueTask as its result.
    private const int TaskBody = 2, ValueTaskBody = 1;

    private readonly CpuScheduler _scheduler;

    /// <summary>Starts the pool's threads: the workers and a timer.</summary>
    /// <param name="options">The options; null for the defaults.</param>
    /// <exception cref="MeasurementUnavailableException">This system does not report a thread's CPU time.</exception>
    public CpuWorkerPool(CpuWorkerPoolOptions? options = null)
        : this(options, CpuUsageReader.GetThreadTimeNanoseconds)
    {
    }

    /// <summary>For tests, with another way to read the thread's CPU time.</summary>
    internal CpuWorkerPool(CpuWorkerPoolOptions? options, Func<long> readThreadTime)
    {
        _ = readThreadTime(); // it throws here, and not on the workers, where it would end the process
        _scheduler = new CpuScheduler(options ?? new CpuWorkerPoolOptions()) { Blocked = running => WorkerBlocked?.Invoke(this, running) };
        TaskScheduler = new CpuTaskScheduler(this);
    }

    /// <summary>The pool's name, in its threads' names and in its metrics.</summary>
    public string Name => _scheduler.Name;

    /// <summary>Maximum number of tasks that run at a time.</summary>
    public int WorkerCount => _scheduler.WorkerCount;

    /// <summary>The pool for code that takes a <see cref="System.Threading.Tasks.TaskScheduler"/>, such as <c>ParallelOptions</c> and
    /// <c>ExecutionDataflowBlockOptions</c>. Each part of a task between two awaits is a task of the pool, without checkpoints, so it
    /// should be short; all have the name <c>TaskScheduler</c>. Once the pool is drained or disposed, what is still to run does so in
    /// the thread pool.</summary>
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

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    [OverloadResolutionPriority(TaskBody)]
    public Task RunAsync(Func<CpuTaskContext, Task> body, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<bool>(_scheduler, body, body, null, cancellationToken));

    /// <summary>Runs a body on the workers. Never waits: any number of tasks may queue.</summary>
    /// <param name="body">The work. Called on a worker, when its turn comes, with the caller's <see cref="ExecutionContext"/>. It needs a
    /// checkpoint every 10 to 100 µs of work: without any it keeps its worker to its end, and the statistics name it.</param>
    /// <param name="options">The options of the task; copied.</param>
    /// <param name="cancellationToken">Cancels the task: at once if it has not started, at its next checkpoint otherwise.</param>
    /// <returns>A task that ends as the body does: with its result, its exception or cancelled. Code that awaits it goes on in the thread
    /// pool or in its own context.</returns>
    /// <remarks>From F#, give the type of a result: <c>pool.RunAsync&lt;int&gt;(fun cpu -> task { … })</c>.</remarks>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <exception cref="ArgumentNullException">The body or the options are <see langword="null"/>.</exception>
    [OverloadResolutionPriority(TaskBody)]
    public Task RunAsync(
        Func<CpuTaskContext, Task> body, CpuTaskOptions options, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<bool>(_scheduler, body, body, Checked(options), cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    [OverloadResolutionPriority(TaskBody)]
    public Task<TResult> RunAsync<TResult>(Func<CpuTaskContext, Task<TResult>> body, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<TResult>(_scheduler, body, body, null, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    [OverloadResolutionPriority(TaskBody)]
    public Task<TResult> RunAsync<TResult>(
        Func<CpuTaskContext, Task<TResult>> body, CpuTaskOptions options, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<TResult>(_scheduler, body, body, Checked(options), cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    public Task RunAsync(Action<CpuTaskContext> body, CancellationToken cancellationToken = default) =>
        Submit(body, new SyncCpuTask(_scheduler, body, null, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    public Task RunAsync(
        Action<CpuTaskContext> body, CpuTaskOptions options, CancellationToken cancellationToken = default) =>
        Submit(body, new SyncCpuTask(_scheduler, body, Checked(options), cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public Task<TResult> RunAsync<TResult>(Func<CpuTaskContext, TResult> body, CancellationToken cancellationToken = default) =>
        Submit(body, new SyncCpuTask<TResult>(_scheduler, body, null, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public Task<TResult> RunAsync<TResult>(
        Func<CpuTaskContext, TResult> body, CpuTaskOptions options, CancellationToken cancellationToken = default) =>
        Submit(body, new SyncCpuTask<TResult>(_scheduler, body, Checked(options), cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task RunAsync(Func<CpuTaskContext, ValueTask> body, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<bool>(_scheduler, cpu => body(cpu).AsTask(), body, null, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task RunAsync(
        Func<CpuTaskContext, ValueTask> body, CpuTaskOptions options, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<bool>(_scheduler, cpu => body(cpu).AsTask(), body, Checked(options), cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task<TResult> RunAsync<TResult>(Func<CpuTaskContext, ValueTask<TResult>> body, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<TResult>(_scheduler, cpu => body(cpu).AsTask(), body, null, cancellationToken));

    /// <inheritdoc cref="RunAsync(Func{CpuTaskContext, Task}, CpuTaskOptions, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    [OverloadResolutionPriority(ValueTaskBody)]
    public Task<TResult> RunAsync<TResult>(
        Func<CpuTaskContext, ValueTask<TResult>> body, CpuTaskOptions options, CancellationToken cancellationToken = default) =>
        Submit(body, new AsyncCpuTask<TResult>(_scheduler, cpu => body(cpu).AsTask(), body, Checked(options), cancellationToken));

    /// <summary>Raised when a body is found to block its worker while tasks wait, with the body's name: another body runs in its place
    /// until it goes on. Raised in the thread pool; not in order.</summary>
    public event EventHandler<CpuRunningTask>? WorkerBlocked;

    /// <summary>Refuses new tasks, and waits until the submitted ones have ended. (Tasks may still start other tasks.)</summary>
    /// <param name="cancellationToken">Cancels the remaining tasks. They still have to come to a checkpoint, and what a body awaits has to
    /// take <see cref="CpuTaskContext.CancellationToken"/>.</param>
    /// <returns>A task that completes without an exception when the last task has ended. Further calls wait as well.</returns>
    /// <exception cref="InvalidOperationException">The caller is a task of this pool, which would wait for itself; or this is the
    /// <see cref="Shared"/> pool, which has no end.</exception>
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

    /// <summary>Cancels all tasks, and waits for those that have begun to come to their next checkpoint. To let them finish, drain the pool
    /// before. Has no effect on the <see cref="Shared"/> pool.</summary>
    /// <remarks>The wait never ends if a body awaits something that never ends and did not take
    /// <see cref="CpuTaskContext.CancellationToken"/>.</remarks>
    /// <returns>A task that completes when the last task has ended. Further calls wait as well.</returns>
    /// <exception cref="InvalidOperationException">The caller is a task of this pool, which would wait for itself.</exception>
    /// <exception cref="AggregateException">Callbacks on the tasks' token have failed. All tasks are cancelled, without waiting for
    /// them.</exception>
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

    /// <summary>Cancels all tasks, and blocks until those that run have come to their next checkpoint. Has no effect on the
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
                $"The task {task.Name} of pool '{Name}' must not wait for the pool's end: it would wait for itself.");
        }
    }

    private static CpuTaskOptions Checked(CpuTaskOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return options;
    }

    private static Task<TResult> Submit<TResult>(Delegate body, CpuTask<TResult> task)
    {
        ArgumentNullException.ThrowIfNull(body);
        task.Submit();
        return task.Task;
    }
}
