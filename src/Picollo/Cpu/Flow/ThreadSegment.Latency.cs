namespace Picollo.Cpu;

/// <content>The states of the segment, for watchers that measure the latency of their flow: readings of the run queue, and waits for locks,
/// which the runtime reports late.</content>
internal sealed partial class ThreadSegment
{
    // In nanoseconds. The clock of the runtime's events agrees with Stopwatch within microseconds.
    private const long MaxRunQueueAge = 1_000_000;
    private const long MaxReadingTime = 20_000;
    private const long ClockTolerance = 200_000;

    private const int MaxReadings = 3;
    private const int MaxWaits = 64; // the runtime reports a wait at most 0.1 s late

    // For flows that measure their latency. The queue is null if it cannot be read.
    private ThreadRunQueue? _runQueue;
    private bool _isRunQueueOpened;
    private FlowMoment _lastRunQueue = new(0, RunQueueNanoseconds: FlowMoment.NotRead);
    private WaitingSegment?[]? _waits; // the last ones, a ring
    private int _waitCount;

    /// <summary>The ID even after the thread has ended.</summary>
    public long? LastThreadId => _threadId;

    /// <summary>Returns the states of the running segment so far; null if its watchers do not measure them. Only the owner may call
    /// it.</summary>
    public SegmentLatency? MeasureLatency() =>
        HasLatency && TryReadLatency(_readings, out CpuSegment now, out FlowMoment moment) ? LatencyUntil(now, moment) : null;

    /// <summary>Ends a piece of the running segment, so that its states count for a watcher that stops although it is not the innermost
    /// one. Only the owner may call it.</summary>
    public void EndPiece()
    {
        if (HasLatency && TryReadLatency(_readings, out CpuSegment now, out FlowMoment moment))
        {
            Change(Innermost, now, byThreadSwitch: false, moment, _readings);
        }
    }

    /// <summary>Adds a wait for a lock, of which the runtime has reported the end, to the flow that the thread ran. Not for the
    /// owner. Returns whether the thread ran a flow.</summary>
    public bool AddLockWait(long start, long end, long nanoseconds)
    {
        // First without a tolerance: segments can be shorter than it. The segment may have ended in the meantime.
        long tolerance = FlowMoment.ToTicks(ClockTolerance);
        WaitingSegment? segment = FindWait(start, end, 0) ?? RunningWait(start, 0) ?? FindWait(start, end, 0)
            ?? FindWait(start, end, tolerance) ?? RunningWait(start, tolerance);
        foreach (FlowLatency flow in segment?.Flows ?? [])
        {
            flow.AddLockWait(nanoseconds);
        }

        return segment is not null;
    }

    private bool HasLatency => Innermost is not null && (_readings & FlowReadings.Latency) != 0;

    /// <remarks>If the thread loses its CPU between two readings, this should count for the segment, with its cause. So the wall time is
    /// read first at the start of a segment, and last at its end. The run queue must be read together with the wall time, so both are read
    /// again if the readings took too long.</remarks>
    private bool TryReadLatency(FlowReadings readings, out CpuSegment now, out FlowMoment moment)
    {
        bool isEnd = HasLatency;
        long timestamp = isEnd ? 0 : Stopwatch.GetTimestamp();
        bool known = CpuSegment.TryReadThread(readings, out now);
        timestamp = isEnd ? Stopwatch.GetTimestamp() : timestamp;
        long runQueue = FlowMoment.NotRead;
        if (LatencySources.UsesRunQueue)
        {
            // Rate limit: at the start, a value may be a millisecond old. At the end, it is needed only if the thread has waited.
            long offCpu = isEnd
                ? FlowMoment.ToNanoseconds(timestamp - _startMoment.Timestamp) - (now.TotalNanoseconds - _start.TotalNanoseconds)
                : 0;
            bool isOld = FlowMoment.ToNanoseconds(timestamp - _lastRunQueue.Timestamp) > MaxRunQueueAge;
            bool isNeeded = isEnd ? offCpu >= SegmentLatency.LeastWait : isOld;
            for (int attempt = 0; isNeeded && attempt < MaxReadings; attempt++)
            {
                if (!TryReadRunQueue(out runQueue))
                {
                    break;
                }

                long after = Stopwatch.GetTimestamp();
                _lastRunQueue = new FlowMoment(after, RunQueueNanoseconds: runQueue);
                if (FlowMoment.ToNanoseconds(after - timestamp) <= MaxReadingTime)
                {
                    break;
                }

                timestamp = after;
                known = CpuSegment.TryReadThread(readings, out now);
            }

            runQueue = runQueue == FlowMoment.NotRead ? _lastRunQueue.RunQueueNanoseconds : runQueue;
        }

        moment = new FlowMoment(timestamp, FlowMoment.CollectionsNow, runQueue);
        return known;
    }

    private bool TryReadRunQueue(out long nanoseconds)
    {
        if (!_isRunQueueOpened)
        {
            _isRunQueueOpened = true;
            _runQueue = LatencySources.OpenRunQueue();
        }

        nanoseconds = FlowMoment.NotRead;
        return _runQueue is not null && _runQueue.TryRead(out nanoseconds);
    }

    private SegmentLatency LatencyUntil(in CpuSegment now, in FlowMoment moment)
    {
        long ticks = moment.Timestamp - _startMoment.Timestamp;
        long cpu = now.TotalNanoseconds - _start.TotalNanoseconds;
        bool isQueueKnown = _startMoment.RunQueueNanoseconds >= 0 && moment.RunQueueNanoseconds >= 0;
        return new SegmentLatency(ticks, cpu, LatencyAccount.DivideSegment(
            FlowMoment.ToNanoseconds(ticks),
            cpu,
            isQueueKnown ? moment.RunQueueNanoseconds - _startMoment.RunQueueNanoseconds : 0,
            moment.CollectionNanoseconds - _startMoment.CollectionNanoseconds));
    }

    // Not part of the change: a watcher that stops in between counts the segment as one that still runs.
    // Returns whether the thread has left the flow; otherwise, some watchers remain.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool AddLatency(in CpuSegment now, in FlowMoment moment, bool hasLeft)
    {
        SegmentLatency latency = LatencyUntil(now, moment);
        for (CpuUsageAsyncWatcher? watcher = Innermost; watcher is not null; watcher = watcher.Outer)
        {
            watcher.Counting?.AddLatency(latency, hasLeft ? moment.Timestamp : null);
        }

        if (latency.Times.Blocked + latency.Times.Collection >= SegmentLatency.LeastWait && LatencySources.HasLocks)
        {
            WaitingSegment waiting = new(_startMoment.Timestamp, moment.Timestamp, WaitingSegment.FlowsOf(Innermost));
            _waits ??= new WaitingSegment?[MaxWaits];
            Volatile.Write(ref _waits[_waitCount++ % MaxWaits], waiting);
        }

        return hasLeft;
    }

    private WaitingSegment? FindWait(long start, long end, long tolerance)
    {
        foreach (ref WaitingSegment? wait in (_waits ?? []).AsSpan())
        {
            if (Volatile.Read(ref wait) is { } segment && segment.Start - tolerance <= start && end <= segment.End + tolerance)
            {
                return segment;
            }
        }

        return null;
    }

    /// <summary>Returns the running segment, if a wait that began at a time belongs to it.</summary>
    private WaitingSegment? RunningWait(long start, long tolerance)
    {
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            long version = WaitForEvenVersion();
            bool isIn = _owner.IsAlive && HasLatency && _startMoment.Timestamp - tolerance <= start;
            CpuUsageAsyncWatcher? innermost = Innermost;
            Volatile.ReadBarrier();
            if (Version == version)
            {
                return isIn ? new WaitingSegment(start, start, WaitingSegment.FlowsOf(innermost)) : null;
            }
        }

        return null;
    }
}
