namespace Picollo.Cpu;

/// <summary>The states of a flow so far, for a watcher that measures them. Changes only while the lock of the watcher is held, except for
/// <see cref="AddLockWait"/>.</summary>
/// <remarks>The time in which at least one thread runs the flow is the union of its segments. Threads enter and leave in any order, and one
/// may report an earlier time than another has reported before. So time only moves forward here, and what happens at an earlier time counts
/// from the latest one.</remarks>
internal sealed class FlowLatency(long start, LatencyStates states)
{
    private const long MaxOwn = 20_000; // in nanoseconds

    private long _latest = start; // all wall times are in ticks of Stopwatch
    private long _activeTicks;
    private long _threadTicks; // the sum over all threads
    private long _pieceTicks; // the part of the sum that is divided into states
    private int _threads;
    private bool _hasRun;
    private bool _mayHaveWaited; // during a collection
    private LatencyTimes _segments;
    private long _cpu; // of the pieces, as it was read
    private long _poolQueue;
    private long _locks;

    public LatencyStates States { get; } = states;

    /// <summary>Records that a thread enters the flow.</summary>
    /// <param name="timestamp">The time.</param>
    /// <param name="byThreadSwitch">Whether the thread comes from another flow or from none. Otherwise, it resumes a flow that it has
    /// suspended, and has not waited.</param>
    public void Enter(long timestamp, bool byThreadSwitch = true)
    {
        MoveTo(timestamp, out long waited);
        if (!_hasRun)
        {
            AddOwn(waited); // the thread has started the watcher
        }

        if (_threads++ == 0)
        {
            // An estimate: the delay that the probe of the pool has measured last, but not more than the flow has waited. The first segment
            // does not come from the queue.
            if (_hasRun && byThreadSwitch && (States & LatencyStates.PoolQueue) != 0 && Thread.CurrentThread.IsThreadPoolThread)
            {
                _poolQueue += Math.Min(FlowMoment.ToNanoseconds(waited), LatencySources.PoolDelay);
            }

            _hasRun = true;
        }
    }

    /// <summary>Records that a thread leaves the flow.</summary>
    public void Leave(long timestamp)
    {
        MoveTo(timestamp, out _);
        _threads--;
    }

    /// <summary>Records that a thread has ended in the flow. The time is unknown, so nothing after its entry counts.</summary>
    /// <param name="entered">The start of the segment, or of its last piece.</param>
    public void Lose(long entered)
    {
        _threads--;
        _threadTicks -= Math.Max(_latest - entered, 0);
        _activeTicks = Math.Min(_activeTicks, _threadTicks); // exact, unless threads have overlapped
    }

    /// <summary>Adds a segment or a piece of one.</summary>
    public void Add(in SegmentLatency piece)
    {
        LatencyTimes times = piece.Times;
        if (times.RunQueue > 0 && (States & LatencyStates.RunQueue) == 0)
        {
            times = times with { RunQueue = 0, Blocked = times.Blocked + times.RunQueue }; // the flow started before the source
        }

        _pieceTicks += piece.WallTicks;
        _cpu += piece.CpuNanoseconds;
        _segments = _segments with
        {
            Cpu = _segments.Cpu + times.Cpu,
            RunQueue = _segments.RunQueue + times.RunQueue,
            Collection = _segments.Collection + times.Collection,
            Blocked = _segments.Blocked + times.Blocked,
        };
        _mayHaveWaited |= times.Collection > 0 && times.Blocked >= SegmentLatency.LeastWait;
    }

    /// <summary>Ends the flow. Segments that other threads still run count until now: their CPU time is known, the rest is not divided
    /// further.</summary>
    /// <param name="timestamp">The end.</param>
    /// <param name="cpuNanoseconds">The CPU time of the whole flow.</param>
    public void Finish(long timestamp, long cpuNanoseconds)
    {
        bool hasLeft = _threads == 0;
        MoveTo(timestamp, out long sinceLast);
        if (hasLeft && FlowMoment.ToNanoseconds(sinceLast) <= MaxOwn)
        {
            AddOwn(sinceLast); // the thread that stops the watcher has just left the flow
        }

        _threads = 0;
        LatencyTimes open = LatencyAccount.DivideSegment(
            FlowMoment.ToNanoseconds(_threadTicks - _pieceTicks), cpuNanoseconds - _cpu, runQueue: 0, collection: 0);
        _segments = _segments with { Cpu = _segments.Cpu + open.Cpu, Blocked = _segments.Blocked + open.Blocked };
    }

    /// <summary>Adds the time that a thread of the flow waited for a lock, in nanoseconds, even after the end of the flow. Any thread may
    /// call it.</summary>
    public void AddLockWait(long nanoseconds) => Interlocked.Add(ref _locks, nanoseconds);

    public FlowLatency Copy() => (FlowLatency)MemberwiseClone();

    /// <summary>Returns the states of a flow that is finished.</summary>
    /// <param name="wallNanoseconds">The duration of the flow.</param>
    /// <param name="split">The user and kernel time of the flow; null if they were not read.</param>
    public LatencyBreakdown ToBreakdown(long wallNanoseconds, CpuUsage? split)
    {
        double kernelShare = split is { TotalNanoseconds: > 0 and var total } usage ? (double)usage.KernelNanoseconds / total : 0;
        LatencyTimes times = LatencyAccount.DivideFlow(
            wallNanoseconds,
            FlowMoment.ToNanoseconds(_activeTicks),
            _segments,
            (States & LatencyStates.Lock) != 0 ? Interlocked.Read(ref _locks) : 0,
            _poolQueue,
            kernelShare);
        return new LatencyBreakdown(
            times,
            States | (split is null ? 0 : LatencyStates.Split),
            (States & LatencyStates.PoolQueue) | (_mayHaveWaited && times.Collection > 0 ? LatencyStates.GarbageCollection : 0));
    }

    /// <summary>Adds time in which a thread enters or leaves the flow. If that took long, the thread has lost its CPU.</summary>
    private void AddOwn(long ticks)
    {
        long nanoseconds = FlowMoment.ToNanoseconds(ticks);
        _activeTicks += ticks;
        _threadTicks += ticks;
        _pieceTicks += ticks;
        _segments.Cpu += Math.Min(nanoseconds, MaxOwn);
        _segments.Blocked += Math.Max(nanoseconds - MaxOwn, 0);
    }

    private void MoveTo(long timestamp, out long waited)
    {
        waited = Math.Max(timestamp - _latest, 0);
        _latest += waited;
        _activeTicks += _threads > 0 ? waited : 0;
        _threadTicks += _threads * waited;
    }
}

/// <summary>The states of a thread during a segment, or a piece of one.</summary>
internal readonly record struct SegmentLatency(long WallTicks, long CpuNanoseconds, LatencyTimes Times)
{
    /// <summary>The shortest wait, in nanoseconds, of which the cause matters: the run queue is not read for shorter ones.</summary>
    public const long LeastWait = 50_000;
}

/// <summary>A segment in which its thread waited, kept so that a wait for a lock, which the runtime reports later, can be added to its
/// flow.</summary>
internal sealed record WaitingSegment(long Start, long End, IReadOnlyList<FlowLatency> Flows)
{
    /// <summary>The flows of a watcher and its outer ones that measure their latency.</summary>
    public static IReadOnlyList<FlowLatency> FlowsOf(CpuUsageAsyncWatcher? innermost)
    {
        List<FlowLatency> flows = [];
        for (CpuUsageAsyncWatcher? watcher = innermost; watcher is not null; watcher = watcher.Outer)
        {
            if (watcher.Counting?.Latency is { } latency)
            {
                flows.Add(latency);
            }
        }

        return flows;
    }
}
