using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Cpu;

/// <summary>Sums the CPU time of everything that one logical flow runs, on whatever threads: the code after the constructor, what follows
/// its awaits, and the tasks, threads and timers it starts.</summary>
/// <remarks>
/// <para>A watcher is part of the <see cref="ExecutionContext"/> from its constructor on, and the runtime reports when a thread takes up
/// that context and leaves it. Each time the thread's CPU clock is read: two reads per resumed await, and no allocations,
/// however long it runs (except for a watcher that lists its switches, see <see cref="Totals"/>). Watchers may be nested, overlap and run
/// side by side; what a flow with several of them takes counts in each.</para>
/// <para><b>Counted</b>: <c>await</c> with or without <c>ConfigureAwait(false)</c>, <see cref="Task.Run(Action)"/>,
/// <c>Task.WhenAll</c>, <c>Parallel</c>, <see cref="Thread.Start()"/>, timers created after the constructor, consuming an
/// <c>IAsyncEnumerable</c>. Whenever asked, also by a thread outside of the flow, the results are of that moment: with what all threads
/// have taken that are in the flow just then. (Of those other than the asking one, the kernel's part is known in the steps
/// that <see cref="CpuUsageReader"/> gives for other threads; the total is exact.)</para>
/// <para><b>Not counted</b>: work queued while the flow is suppressed (<see cref="ExecutionContext.SuppressFlow"/>, <c>Unsafe…</c>
/// methods; but what <see cref="Task.Wait()"/> runs at once, on the waiting thread, is counted); work begun before the constructor; work
/// handed to a thread or a loop that was started outside of the flow, such as a channel's consumer; garbage
/// collections and other work of the runtime's own threads; what children still run after <see cref="Stop"/>; what a
/// thread started without a context (<see cref="Thread.UnsafeStart()"/>) takes from its last switch to its end. A
/// watcher made inside an <c>async</c> method or iterator is gone from the flow when that returns (an iterator: at each
/// <c>yield</c>), as with every <see cref="AsyncLocal{T}"/>: a helper that creates a watcher and returns it measures nothing of its caller.
/// Make it where its <see cref="Stop"/> is, or pass the work to <see cref="MeasureAsync"/>.</para>
/// <para><b>Pumps.</b> A loop that the flow itself starts, and that later works for others, belongs to the flow: all of its time counts.
/// So it is with what starts such a loop at its first use: the block of a Dataflow mesh, a lazily started consumer, a connection. Start it
/// outside of the flow, or in <see cref="Suspend"/>:
/// <code>
/// using (CpuUsageAsyncWatcher.Suspend())
/// {
///     _consumer ??= Task.Run(ConsumeAsync);
/// }
/// </code>
/// </para>
/// <para><b>Cost.</b> Each running watcher of a flow adds some 40 ns to a resumed await, so stop every one: thousands that never are cost
/// 100 µs each time. Stopped ones cost nothing.</para>
/// <para>All members are thread-safe. Asking costs a clock read; if other threads are in the flow, also a look at each thread that ever ran
/// a watched one, and a short list. A watcher is one object of 88 bytes; with what the runtime keeps of a flow that carries nothing else,
/// three of 160.</para>
/// <example>
/// <code>
/// app.Use(async (context, next) =>
/// {
///     CpuUsageAsyncWatcher watcher = new CpuUsageAsyncWatcher();
///     await next.Invoke();
///     watcher.Stop();
///     Console.WriteLine($"Cpu Usage by http request is {watcher.GetSummaryCpuUsage()}");
/// });
/// </code>
/// </example>
/// </remarks>
public sealed partial class CpuUsageAsyncWatcher : IDisposable
{
    // Under the lock, and no longer changed once the watcher is final: a timestamp at the start, and from the stop on the ticks since.
    private long _startOrLength;
    private CpuSegment _sums;
    private long _switchCount;

    private CpuUsageAsyncWatcher? _outer;

    // A watcher that lists its switches has no successor and no label, that of a span has none of the three until it is stopped, and a
    // successor has the label of those before it: one field holds any of them, and no watcher grows by it.
    private object? _successorOrPieces;

    private int _threadCount;
    private readonly byte _readings;
    private byte _stopRequested;
    private byte _isLocked;
    private bool _isFinal;

    /// <summary>Starts watching the current flow.</summary>
    /// <param name="detail">Whether user and kernel time are read separately.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="detail"/> is none of the enumeration's values.</exception>
    /// <exception cref="MeasurementUnavailableException">This system does not report a thread's CPU time.</exception>
    public CpuUsageAsyncWatcher(CpuUsageDetail detail = CpuUsageDetail.UserAndKernel)
        : this(detail, countsAllocations: false)
    {
    }

    /// <summary>Starts watching the current flow with <see cref="CpuUsageDetail.UserAndKernel"/>, and lists its switches if that is
    /// requested.</summary>
    /// <param name="listSwitches">Whether <see cref="Totals"/> lists the segments that the flow runs, which takes memory for each of
    /// them.</param>
    /// <exception cref="MeasurementUnavailableException">This system does not report a thread's CPU time.</exception>
    public CpuUsageAsyncWatcher(bool listSwitches)
        : this(CpuUsageDetail.UserAndKernel, countsAllocations: false, listSwitches)
    {
    }

    /// <summary>Starts watching the current flow, and counts the bytes that it allocates and lists its switches if that is
    /// requested.</summary>
    internal CpuUsageAsyncWatcher(CpuUsageDetail detail, bool countsAllocations, bool listSwitches = false)
    {
        if (detail is not (CpuUsageDetail.TotalOnly or CpuUsageDetail.UserAndKernel))
        {
            throw new ArgumentOutOfRangeException(nameof(detail), detail, "The detail is TotalOnly or UserAndKernel.");
        }

        // Now: in the change handler it would be too late to throw.
        if (CpuTimes.Current.ThreadUnavailableReason is { } reason)
        {
            throw new MeasurementUnavailableException(reason);
        }

        _readings = (byte)(FlowReadings.Total
            | (detail == CpuUsageDetail.UserAndKernel ? FlowReadings.Split : 0)
            | (countsAllocations ? FlowReadings.Allocations : 0)
            | (listSwitches ? FlowReadings.Switches : 0));
        _startOrLength = Stopwatch.GetTimestamp();
        WatchedFlow.Enter(this);
    }

    private CpuUsageAsyncWatcher(FlowReadings readings, bool isFinal) => (_readings, _isFinal) = ((byte)readings, isFinal);

    /// <summary>Whether watchers work on this system: it reports a thread's CPU time. Where it is false, the constructors throw a
    /// <see cref="MeasurementUnavailableException"/>.</summary>
    public static bool IsSupported => CpuTimes.Current.ThreadUnavailableReason is null;

    /// <summary>What is read at each switch.</summary>
    public CpuUsageDetail Detail =>
        (Readings & FlowReadings.Split) != 0 ? CpuUsageDetail.UserAndKernel : CpuUsageDetail.TotalOnly;

    /// <summary>True until <see cref="Stop"/> has returned.</summary>
    public bool IsRunning => !Volatile.Read(ref _isFinal);

    /// <summary>Time passed from the constructor to <see cref="Stop"/>, or to now.</summary>
    public TimeSpan WallTime
    {
        get
        {
            Lock();
            long start = _isFinal ? 0 : _startOrLength, end = _isFinal ? _startOrLength : Stopwatch.GetTimestamp();
            Unlock();
            return Stopwatch.GetElapsedTime(start, end);
        }
    }

    /// <summary>How many times a thread has left the flow, so far or until <see cref="Stop"/>: each time ends a segment whose CPU
    /// time was added. 0 for a flow that has never given up its thread.</summary>
    public long SwitchCount
    {
        get
        {
            Lock();
            long count = _switchCount;
            Unlock();
            return count;
        }
    }

    /// <summary>Runs asynchronous work and measures its CPU time: the code of <paramref name="work"/>, what follows its awaits, and what
    /// it starts, until the task that it returns has ended.</summary>
    /// <param name="work">The work, which starts on the current thread.</param>
    /// <returns>User and kernel time. If <paramref name="work"/> fails or is canceled, so is the task, and there is no result.</returns>
    /// <remarks>A helper of any kind can call this, because the work runs inside the measured flow.
    /// <example>
    /// <code>
    /// CpuUsage taken = await CpuUsageAsyncWatcher.MeasureAsync(() => HandleRequest(request));
    /// </code>
    /// </example>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is null.</exception>
    /// <exception cref="MeasurementUnavailableException">The task fails with it where this system does not report a thread's CPU
    /// time. The work is then not started.</exception>
    public static Task<CpuUsage> MeasureAsync(Func<Task> work) =>
        RunAsync(work, CpuUsageDetail.UserAndKernel, static watcher => watcher.GetSummaryCpuUsage());

    /// <summary>Does what <see cref="MeasureAsync"/> does, with the clock of <see cref="CpuUsageDetail.TotalOnly"/>: cheaper, and finer on
    /// Windows.</summary>
    /// <param name="work">The work, which starts on the current thread.</param>
    /// <returns>Nanoseconds, user and kernel time together. If <paramref name="work"/> fails or is canceled, so is the task, and there is
    /// no result.</returns>
    /// <inheritdoc cref="MeasureAsync" path="/exception"/>
    public static Task<long> MeasureTotalNanosecondsAsync(Func<Task> work) =>
        RunAsync(work, CpuUsageDetail.TotalOnly, static watcher => watcher.GetTotalNanoseconds());

    /// <summary>The CPU time of the flow so far, or until <see cref="Stop"/>; see the type's remarks for what counts.</summary>
    /// <returns>User and kernel time apart.</returns>
    /// <exception cref="InvalidOperationException">The watcher was made with <see cref="CpuUsageDetail.TotalOnly"/>; ask for
    /// <see cref="GetTotalNanoseconds"/>.</exception>
    public CpuUsage GetSummaryCpuUsage() => TryGetSummaryCpuUsage(out CpuUsage usage)
        ? usage
        : throw new InvalidOperationException(
            $"This watcher was made with {nameof(CpuUsageDetail)}.{nameof(CpuUsageDetail.TotalOnly)} and knows no user and kernel time "
            + $"apart: use {nameof(GetTotalNanoseconds)}().");

    /// <summary>Does what <see cref="GetSummaryCpuUsage"/> does, but returns false instead of throwing: for code that may be given a
    /// watcher of either <see cref="Detail"/>.</summary>
    /// <param name="usage">User and kernel time; 0 if the watcher was made with <see cref="CpuUsageDetail.TotalOnly"/>.</param>
    /// <returns>False if the watcher was made with <see cref="CpuUsageDetail.TotalOnly"/>; use <see cref="GetTotalNanoseconds"/>
    /// then.</returns>
    public bool TryGetSummaryCpuUsage(out CpuUsage usage)
    {
        if (Detail == CpuUsageDetail.TotalOnly)
        {
            usage = default;
            return false;
        }

        usage = (Final ?? WatchedFlow.GetTaken(this)).Split;
        return true;
    }

    /// <summary>The CPU time of the flow so far, or until <see cref="Stop"/>, user and kernel together, at the finest step the system
    /// has: that of <see cref="CpuUsageReader.GetThreadTimeNanoseconds()"/>.</summary>
    /// <returns>Nanoseconds. While the watcher runs, never less than the same thread was told before (but for threads started without a
    /// context, whose last part is lost at their end).</returns>
    public long GetTotalNanoseconds() => (Final ?? WatchedFlow.GetTaken(this)).TotalNanoseconds;

    /// <summary>Excludes what follows from all watchers of the current flow, with all that it starts, until the result is disposed. A
    /// watcher made meanwhile measures for itself alone.</summary>
    /// <returns>To be disposed once, in the same flow; then its watchers go on.</returns>
    public static IDisposable Suspend() => WatchedFlow.Suspend();

    /// <summary>Stops watching: the results no longer change. What threads in the flow have taken up to now is included. The second
    /// and later calls do nothing.</summary>
    public void Stop() => StopFor(null);

    /// <summary>Does what <see cref="Stop"/> does; the results stay.</summary>
    public void Dispose() => Stop();

    /// <summary>What is read at each switch.</summary>
    internal FlowReadings Readings => (FlowReadings)_readings;

    /// <summary>The bytes that the flow has allocated so far, or until <see cref="Stop"/>, if that was asked for; on other threads than the
    /// calling one, those of segments that have ended.</summary>
    internal long AllocatedBytes => (Final ?? WatchedFlow.GetTaken(this)).AllocatedBytes;

    /// <summary>The next watcher of the flow, which the flow had before this one; null for none. Those that count nothing any more are
    /// removed on the way.</summary>
    internal CpuUsageAsyncWatcher? Outer
    {
        get
        {
            CpuUsageAsyncWatcher? outer = _outer;
            while (outer is { IsCounting: false })
            {
                _outer = outer = outer._outer;
            }

            return outer;
        }
        set => _outer = value;
    }

    /// <summary>How many threads are in the flow. One that has left it has added its time before; one that was started without a
    /// context stays counted at its end.</summary>
    internal int ThreadCount => Volatile.Read(ref _threadCount);

    /// <summary>One that has never been in a flow.</summary>
    internal static CpuUsageAsyncWatcher MakeStopped() => new(FlowReadings.Total, isFinal: true);

    /// <summary>What was taken until <see cref="Stop"/>; null while the watcher runs.</summary>
    internal CpuSegment? Final => IsRunning ? null : _sums;

    /// <summary>The segments that have ended.</summary>
    internal CpuSegment Ended => GetEnded(out _);

    /// <summary>The segments that have ended, and their list at the same moment.</summary>
    internal CpuSegment GetEnded(out FlowPiece? pieces)
    {
        Lock();
        CpuSegment ended = _sums;
        pieces = Pieces;
        Unlock();
        return ended;
    }

    /// <summary>A thread takes the flow up.</summary>
    internal void AddThread() => Interlocked.Increment(ref _threadCount);

    /// <summary>A thread has left the flow, and added its time.</summary>
    internal void RemoveThread() => Interlocked.Decrement(ref _threadCount);

    /// <summary>Adds a segment that has ended; several threads may at once.</summary>
    /// <param name="segment">What the current thread has taken.</param>
    /// <param name="byThreadSwitch">Whether it ended because the thread left the flow.</param>
    /// <param name="wallTicks">The wall time of the segment, for watchers that list it; null for a correction, which is in no list.</param>
    internal void Add(in CpuSegment segment, bool byThreadSwitch, long? wallTicks = null)
    {
        FlowPiece? piece = ListsSwitches && wallTicks is { } ticks
            ? new FlowPiece(segment.Split, ticks, Environment.CurrentManagedThreadId, byThreadSwitch)
            : null;
        Lock();
        bool isFinal = _isFinal;
        if (!isFinal)
        {
            _sums += segment;
            _switchCount += byThreadSwitch ? 1 : 0;
            if (piece is not null)
            {
                piece.Previous = Pieces;
                _successorOrPieces = piece;
            }
        }

        Unlock();
        if (isFinal)
        {
            Successor?.Add(segment, byThreadSwitch);
        }
    }

    private static Task<T> RunAsync<T>(Func<Task> work, CpuUsageDetail detail, Func<CpuUsageAsyncWatcher, T> getResult)
    {
        ArgumentNullException.ThrowIfNull(work);
        return RunAsync();

        async Task<T> RunAsync()
        {
            using var watcher = new CpuUsageAsyncWatcher(detail);
            await (work() ?? throw new InvalidOperationException("The work returned null instead of a task.")).ConfigureAwait(false);
            watcher.Stop();
            return getResult(watcher);
        }
    }

    /// <summary>For a few nanoseconds: a byte, and one exchange for all the sums. Nothing in here can throw, not even for a thread that is
    /// interrupted while it waits (the sleeps of a <c>SpinWait</c> would).</summary>
    private void Lock()
    {
        if (Interlocked.CompareExchange(ref _isLocked, 1, 0) != 0)
        {
            WaitForLock();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WaitForLock()
    {
        var spinner = new UninterruptedSpin();
        do
        {
            spinner.SpinOnce();
        }
        while (Interlocked.CompareExchange(ref _isLocked, 1, 0) != 0);
        spinner.End();
    }

    private void Unlock() => Volatile.Write(ref _isLocked, 0);
}

/// <summary>What a <see cref="CpuUsageAsyncWatcher"/> reads at each switch.</summary>
public enum CpuUsageDetail
{
    /// <summary>The total only: the cheaper read, and the finer one on Windows.</summary>
    TotalOnly = 1,

    /// <summary>The total, and user and kernel time apart.</summary>
    UserAndKernel = 2,
}
