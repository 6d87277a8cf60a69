namespace Picollo.Cpu;

// The terms of this folder:
// - Flow: code that shares an execution context: the code after the constructor of a watcher, and all that it awaits and starts.
// - Watcher: an object that sums the CPU time of a flow on all threads.
// - Inner and outer: if a flow has several watchers, the one that was created last is the innermost and links to the next outer one.
// - Segment: the part of a flow that one thread runs from the moment it enters the flow until it leaves the flow.
// - Switch: the moment at which a thread enters or leaves a flow, or the watchers of its flow change. If the thread leaves the flow, it
//   is a thread switch.
// - Piece: the part of a segment between two switches. The sums count each piece; only a list of switches joins them to segments.
// - Sums: the CPU time of the completed segments and pieces that a watcher has counted. The stop makes them final.
// - Stop: the end of a watcher, while its flow may still run.
// - Open segment: a segment that another thread still runs when a watcher stops.
// - Successor: the watcher that counts for stopped ones. One made by MakeSuccessor is in no flow and never stops. For a representative,
//   it is the running watcher that it represents.
// - Counting watcher: a watcher while it runs, and then its successor.
// - Representative: a watcher without its own time. It makes a running watcher count in another flow as well.
// - Label: the purpose of a flow, such as requests to a route.
// - Span: an operation that a tracer measures with a watcher. Its data belongs to the tracer.
// - Optional parts: what few watchers have: links (label, successor and open segments), a list of switches, or the data of a span.
// - Recorder and log: a recorder keeps a log of the switches of each thread, for profiles.

/// <summary>Measures the total CPU time of one logical flow on all threads: the code after the constructor, the continuations of its
/// awaits, and the tasks, threads and timers that it starts.</summary>
/// <remarks>
/// <para>A watcher is part of the <see cref="ExecutionContext"/> from its constructor on, and the runtime reports when a thread enters or
/// leaves that context. The watcher then reads the CPU clock of the thread: two reads per resumed await, and no allocations, regardless of
/// the duration (except for a watcher that lists its switches, see <see cref="Totals"/>). Watchers may be nested, may overlap and may run
/// concurrently. In a flow with several watchers, each of them counts all CPU time.</para>
/// <para><b>Counted</b>: <c>await</c> with or without <c>ConfigureAwait(false)</c>, <see cref="Task.Run(Action)"/>, <c>Task.WhenAll</c>,
/// <c>Parallel</c>, <see cref="Thread.Start()"/>, timers created after the constructor, consuming an <c>IAsyncEnumerable</c>. A result is
/// up to date whenever it is requested, even by a thread outside the flow: it includes the CPU time of all threads that are in the flow at
/// that moment. (For threads other than the calling one, kernel time has the resolution that <see cref="CpuUsageReader"/> documents for
/// other threads; the total is exact.)</para>
/// <para><b>Not counted</b>: work queued while the flow is suppressed (<see cref="ExecutionContext.SuppressFlow"/>, <c>Unsafe…</c> methods;
/// but work that <see cref="Task.Wait()"/> runs inline on the waiting thread is counted); work started before the constructor; work passed
/// to a thread or a loop that was started outside the flow, such as the consumer of a channel; garbage collections and other work of the
/// runtime's own threads; work that child tasks and threads still run after <see cref="Stop"/>; the time of a thread started without a
/// context or with an empty one (<see cref="Thread.UnsafeStart()"/>, or <see cref="Thread.Start()"/> where no <see cref="AsyncLocal{T}"/>
/// is set) from its last measurement to its end, because the runtime does not report that end. A watcher created inside an
/// <c>async</c> method or iterator is removed from the flow when the method returns (for an iterator, at each <c>yield</c>), as with every
/// <see cref="AsyncLocal{T}"/>: if a helper creates a watcher and returns it, the watcher does not measure the caller. Create the watcher
/// in the method that calls <see cref="Stop"/>, or pass the work to <see cref="MeasureAsync"/>.</para>
/// <para><b>Loops shared with other flows.</b> If the flow starts a loop that later serves other flows, all CPU time of the loop counts for
/// the flow. The same applies to objects that start such a loop on first use: a block of a Dataflow mesh, a lazily started consumer, a
/// connection. Start them outside the flow, or in <see cref="Suspend"/>:
/// <code>
/// using (CpuUsageAsyncWatcher.Suspend())
/// {
///     _consumer ??= Task.Run(ConsumeAsync);
/// }
/// </code>
/// </para>
/// <para><b>Cost.</b> Each running watcher of a flow adds about 40 ns to a resumed await, so stop every watcher: thousands of watchers that
/// are never stopped cost 100 µs per resumed await. Stopped watchers cost nothing.</para>
/// <para>All members are thread-safe. A query costs a clock read. If other threads are in the flow, it also checks each thread that ever
/// ran a watched flow, and allocates a short list. A watcher is one object of 88 bytes. In a flow whose context carries nothing else, a
/// watcher takes three objects and 160 bytes in total, including the objects of the runtime.</para>
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
    private const byte IsNew = 0, IsEntered = 1, IsStopping = 2, IsStopped = 3;

    // Protected by the lock; constant once the watcher is stopped. The timestamp of the start is subtracted, and that of the stop added.
    private long _wallTicks;
    private CpuSegment _sums;
    private long _switchCount;

    private CpuUsageAsyncWatcher? _outer;
    private int _threadCount;
    private readonly byte _readings;
    private byte _state; // IsNew, IsEntered, IsStopping or IsStopped
    private byte _isLocked;

    /// <summary>Starts watching the current flow.</summary>
    /// <param name="detail">Whether user and kernel time are read separately.</param>
    /// <param name="listSwitches">Whether <see cref="Totals"/> lists the segments of the flow, which requires
    /// <see cref="CpuUsageDetail.UserAndKernel"/>. Each segment takes memory.</param>
    /// <param name="measureLatency">Whether <see cref="GetLatencyBreakdown"/> divides the wall time of the flow into states. This takes
    /// two objects of 192 bytes in total, and about 0.1 µs more for each segment.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="detail"/> is not a defined value.</exception>
    /// <exception cref="ArgumentException">Switches are listed with <see cref="CpuUsageDetail.TotalOnly"/>.</exception>
    /// <exception cref="MeasurementUnavailableException">This system does not report the CPU time of a thread.</exception>
    public CpuUsageAsyncWatcher(
        CpuUsageDetail detail = CpuUsageDetail.UserAndKernel, bool listSwitches = false, bool measureLatency = false)
        : this(detail, countsAllocations: false, listSwitches, measureLatency)
    {
    }

    /// <summary>Starts watching the current flow, and optionally counts the bytes that it allocates and lists its switches.</summary>
    internal CpuUsageAsyncWatcher(CpuUsageDetail detail, bool countsAllocations, bool listSwitches, bool measureLatency = false)
    {
        if (detail is not (CpuUsageDetail.TotalOnly or CpuUsageDetail.UserAndKernel))
        {
            throw new ArgumentOutOfRangeException(nameof(detail), detail, "The detail must be TotalOnly or UserAndKernel.");
        }

        if (listSwitches && detail == CpuUsageDetail.TotalOnly)
        {
            throw new ArgumentException("A list of switches requires CpuUsageDetail.UserAndKernel.", nameof(listSwitches));
        }

        // The change handler must not throw, so this is checked here.
        if (CpuTimes.Current.ThreadFailure is { } failure)
        {
            throw failure;
        }

        _readings = (byte)(FlowReadings.Total
            | (detail == CpuUsageDetail.UserAndKernel ? FlowReadings.Split : 0)
            | (countsAllocations ? FlowReadings.Allocations : 0)
            | (listSwitches ? FlowReadings.Switches : 0)
            | (measureLatency ? FlowReadings.Latency : 0));
        long start = Stopwatch.GetTimestamp();
        _wallTicks = -start;
        if (listSwitches || measureLatency)
        {
            FlowLatency? latency = measureLatency ? new FlowLatency(start, LatencySources.States) : null;
            _optionalParts = listSwitches ? new SwitchList(latency) : new FlowLinks(label: null, latency: latency);
        }

        WatchedFlow.Enter(this);
    }

    private CpuUsageAsyncWatcher(FlowReadings readings, byte state) => (_readings, _state) = ((byte)readings, state);

    /// <summary>Whether this system reports the CPU time of a thread, which watchers need. If <see langword="false"/>, the constructor
    /// throws a <see cref="MeasurementUnavailableException"/>.</summary>
    public static bool IsSupported => CpuTimes.Current.ThreadFailure is null;

    /// <summary>Whether user and kernel time are read separately.</summary>
    public CpuUsageDetail Detail =>
        (Readings & FlowReadings.Split) != 0 ? CpuUsageDetail.UserAndKernel : CpuUsageDetail.TotalOnly;

    /// <summary>Whether the watcher is running: <see langword="true"/> until <see cref="Stop"/> has returned.</summary>
    public bool IsRunning => Volatile.Read(ref _state) != IsStopped;

    /// <summary>The time from the constructor to <see cref="Stop"/>, or to now.</summary>
    public TimeSpan WallTime => TimeSpan.FromTicks(WallNanoseconds / TimeSpan.NanosecondsPerTick);

    /// <summary>The number of times that a thread left the flow, so far or until <see cref="Stop"/>. Each time, a segment is completed and
    /// its CPU time is added. 0 for a flow that has never left its first thread.</summary>
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

    /// <summary>Runs asynchronous work and measures its CPU time: the code of <paramref name="work"/>, the continuations of its awaits, and
    /// the work that it starts, until the returned task completes.</summary>
    /// <param name="work">The work, which starts on the current thread.</param>
    /// <returns>User and kernel time. If <paramref name="work"/> fails or is canceled, the returned task also fails or is
    /// canceled.</returns>
    /// <remarks>Helper methods can call this, because the work runs inside the measured flow.
    /// <example>
    /// <code>
    /// CpuUsage taken = await CpuUsageAsyncWatcher.MeasureAsync(() => HandleRequest(request));
    /// </code>
    /// </example>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is <see langword="null"/>.</exception>
    /// <exception cref="MeasurementUnavailableException">This system does not report the CPU time of a thread. The returned task fails with
    /// this exception, and the work is not started.</exception>
    public static Task<CpuUsage> MeasureAsync(Func<Task> work) =>
        RunAsync(work, CpuUsageDetail.UserAndKernel, static watcher => watcher.GetSummaryCpuUsage());

    /// <summary>Runs asynchronous work and measures its CPU time as <see cref="MeasureAsync"/> does, but with the clock of
    /// <see cref="CpuUsageDetail.TotalOnly"/>, which is cheaper, and has a finer resolution on Windows.</summary>
    /// <param name="work">The work, which starts on the current thread.</param>
    /// <returns>User and kernel time together, in nanoseconds. If <paramref name="work"/> fails or is canceled, the returned task also
    /// fails or is canceled.</returns>
    /// <inheritdoc cref="MeasureAsync" path="/exception"/>
    public static Task<long> MeasureTotalNanosecondsAsync(Func<Task> work) =>
        RunAsync(work, CpuUsageDetail.TotalOnly, static watcher => watcher.GetTotalNanoseconds());

    /// <summary>Returns the CPU time of the flow so far, or until <see cref="Stop"/>. The remarks of the type list what is
    /// counted.</summary>
    /// <returns>User and kernel time.</returns>
    /// <exception cref="InvalidOperationException">The watcher was created with <see cref="CpuUsageDetail.TotalOnly"/>. Call
    /// <see cref="GetTotalNanoseconds"/> instead.</exception>
    public CpuUsage GetSummaryCpuUsage() => TryGetSummaryCpuUsage(out CpuUsage usage)
        ? usage
        : throw new InvalidOperationException(
            $"This watcher was created with {nameof(CpuUsageDetail)}.{nameof(CpuUsageDetail.TotalOnly)} and does not read user and kernel "
            + $"time separately. Use {nameof(GetTotalNanoseconds)}() instead.");

    /// <summary>Gets the value of <see cref="GetSummaryCpuUsage"/>, but returns <see langword="false"/> instead of throwing an exception.
    /// Use it in code that accepts watchers with either value of <see cref="Detail"/>.</summary>
    /// <param name="usage">User and kernel time; 0 if the watcher was created with <see cref="CpuUsageDetail.TotalOnly"/>.</param>
    /// <returns><see langword="true"/> if the watcher reads user and kernel time; <see langword="false"/> if it was created with
    /// <see cref="CpuUsageDetail.TotalOnly"/>. In that case, use <see cref="GetTotalNanoseconds"/>.</returns>
    public bool TryGetSummaryCpuUsage(out CpuUsage usage)
    {
        if (Detail == CpuUsageDetail.TotalOnly)
        {
            usage = default;
            return false;
        }

        // The kernel time of other threads has a coarser resolution than the part of their segments before the watcher.
        usage = (FinalSums ?? WatchedFlow.GetCpuTime(this)).Split;
        long total = Math.Max(usage.TotalNanoseconds, 0), kernel = Math.Clamp(usage.KernelNanoseconds, 0, total);
        usage = new CpuUsage(total - kernel, kernel);
        return true;
    }

    /// <summary>Returns the CPU time of the flow so far, or until <see cref="Stop"/>, user and kernel time together, at the finest
    /// resolution of the system. The clock is that of <see cref="CpuUsageReader.GetThreadTimeNanoseconds()"/>.</summary>
    /// <returns>Nanoseconds. While the watcher runs, never less than an earlier result on the same thread.</returns>
    public long GetTotalNanoseconds() => (FinalSums ?? WatchedFlow.GetCpuTime(this)).TotalNanoseconds;

    /// <summary>Excludes the following code, and everything that it starts, from all watchers of the current flow until the result is
    /// disposed. A watcher created in the meantime is not affected.</summary>
    /// <returns>An object to dispose once, in the same flow. The watchers of the flow then resume.</returns>
    public static IDisposable Suspend() => WatchedFlow.Suspend();

    /// <summary>Stops watching: the results no longer change. They include the CPU time that threads in the flow have used so far. Further
    /// calls do nothing.</summary>
    public void Stop() => StopFor(null);

    /// <summary>Stops watching, as <see cref="Stop"/> does. The results remain available.</summary>
    public void Dispose() => Stop();

    /// <summary>Returns the CPU time so far, or until <see cref="Stop"/>, in seconds; culture-invariant.</summary>
    /// <returns>A number such as <c>0.012345</c>.</returns>
    public override string ToString() => (GetTotalNanoseconds() / 1e9).ToString("0.######", CultureInfo.InvariantCulture);

    internal FlowReadings Readings => (FlowReadings)_readings;

    /// <summary>The bytes that the flow has allocated so far, or until <see cref="Stop"/>, if they are counted. For threads other than the
    /// calling one, only completed segments count; see <see cref="OpenSegments"/>.</summary>
    internal long AllocatedBytes => (FinalSums ?? WatchedFlow.GetCpuTime(this)).AllocatedBytes;

    /// <summary>The next outer watcher of the flow; null for none. The getter also unlinks watchers that no longer count
    /// anything.</summary>
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

    /// <summary>The number of threads in the flow. A thread adds its time before it leaves the flow. A thread that was started without a
    /// context remains counted after its end, until another thread enters its first flow. Each representative counts as one thread for
    /// ever, because its threads are not counted here. 0 for a successor that is in no flow.</summary>
    internal int ThreadCount => Volatile.Read(ref _threadCount);

    /// <summary>Creates a stopped watcher that was never in a flow.</summary>
    internal static CpuUsageAsyncWatcher MakeStopped() => new(FlowReadings.Total, IsStopped);

    /// <summary>The CPU time until <see cref="Stop"/>; null while the watcher runs.</summary>
    internal CpuSegment? FinalSums => IsRunning ? null : _sums;

    internal CpuSegment Sums => GetSums(out _);

    /// <summary>Returns the sums so far, and the last of the listed pieces at the same moment.</summary>
    internal CpuSegment GetSums(out FlowPiece? lastPiece)
    {
        Lock();
        CpuSegment sums = _sums;
        lastPiece = LastPiece;
        Unlock();
        return sums;
    }

    /// <summary>Returns whether no thread has entered the flow so far: only its creator knows the watcher. Must be called at each
    /// entry.</summary>
    internal bool MarkEntered()
    {
        bool isNew = _state == IsNew;
        if (isNew)
        {
            _state = IsEntered;
        }

        return isNew;
    }

    internal void AddThread() => Interlocked.Increment(ref _threadCount);

    /// <summary>Records that a thread has left the flow and added its time.</summary>
    internal void RemoveThread() => Interlocked.Decrement(ref _threadCount);

    /// <summary>Adds a completed segment. Several threads may call it concurrently.</summary>
    /// <param name="segment">The CPU time of the segment, on the current thread.</param>
    /// <param name="byThreadSwitch">Whether the segment ended because the thread left the flow.</param>
    /// <param name="wallTicks">The wall time of the segment, for watchers that list it; null for a correction, which is not listed.</param>
    internal void Add(in CpuSegment segment, bool byThreadSwitch, long? wallTicks = null)
    {
        FlowPiece? piece = ListsSwitches && wallTicks is { } ticks
            ? new FlowPiece(segment.Split, ticks, Environment.CurrentManagedThreadId, byThreadSwitch)
            : null;
        Lock();
        bool isRunning = IsRunning;
        if (isRunning)
        {
            _sums += segment;
            _switchCount += byThreadSwitch ? 1 : 0;
            if (piece is not null && _optionalParts is SwitchList list)
            {
                piece.Previous = list.Last;
                list.Last = piece;
            }
        }

        Unlock();
        if (!isRunning && Links is { } links)
        {
            links.Open?.Add(segment.AllocatedBytes);
            links.Successor?.Add(segment, byThreadSwitch);
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

    /// <summary>Enters the lock, which is held for a few nanoseconds. A byte is enough, and one exchange protects all sums. The lock never
    /// throws, not even if the thread is interrupted while it waits (the sleeps of a <c>SpinWait</c> would throw).</summary>
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

/// <summary>The times that a <see cref="CpuUsageAsyncWatcher"/> reads at each switch.</summary>
public enum CpuUsageDetail
{
    /// <summary>The total, and user and kernel time separately.</summary>
    UserAndKernel = 0,

    /// <summary>The total only. The read is cheaper, and has a finer resolution on Windows.</summary>
    TotalOnly = 1,
}
