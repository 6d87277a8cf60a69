namespace Picollo.Cpu;

/// <summary>The segment that a thread currently runs: the watchers it counts for, and the clocks of the thread at its start. There is one
/// object per thread. Objects of ended threads are removed when another thread is added, so memory is bounded by the peak number of
/// threads.</summary>
/// <remarks>Only the owning thread writes, and any thread reads. A reader must see a segment either as running or as added to its watchers,
/// never both or neither. So each change is between two increments of <see cref="Version"/> (a sequence lock: odd during a change), and a
/// reader checks that the version has not changed.</remarks>
/// <param name="owner">The calling thread, except in tests.</param>
/// <param name="clocks">The clocks, which return the owner's time to other threads.</param>
internal sealed partial class ThreadSegment(Thread owner, ICpuTimes clocks)
{
    // If a thread switches continuously, the last attempt is used; its error is at most one segment.
    private const int MaxAttempts = 10;

    // Replaced when a thread is added. A reader continues with its copy, because a new thread has no time to report yet.
    private static Registered _all = new([], 0);

    private readonly Thread _owner = owner;
    private readonly ICpuTimes _clocks = clocks;
    private readonly long? _threadId = clocks.ThreadId;
    private CpuSegment _start;
    private FlowMoment _startMoment; // valid if a watcher lists its switches or measures its latency
    private long _watched;
    private long _version;
    private long _innerChanges; // changes of the version that did not end the segment
    private FlowReadings _readings; // of the start

    // The latest value of the owner's clock that another thread has read, or the owner when it changed the innermost watcher.
    private long _measured;
    private bool _isRemoved; // changes with the version

    // The span that the owner entered last in its current flow, and the contexts before and after. Only the owner uses them.
    private CpuUsageAsyncWatcher? _span;
    private ExecutionContext? _beforeSpan;
    private ExecutionContext? _inSpan;

    /// <summary>The segments of all threads that ever entered a watched flow.</summary>
    public static ReadOnlySpan<ThreadSegment> All => Volatile.Read(ref _all).Threads;

    /// <summary>The segment of the calling thread; null before its first change.</summary>
    public static ThreadSegment? OfThread => OwnSegment.Current;

    /// <summary>The innermost watcher that the segment counts for; it also counts for the outer ones. Null if no segment runs.</summary>
    public CpuUsageAsyncWatcher? Innermost { get; private set; }

    /// <summary>The system's ID of the thread; null if the system does not return one, and after the thread has ended, because another
    /// thread may get the ID.</summary>
    public long? ThreadId => _owner.IsAlive ? _threadId : null;

    public int ManagedThreadId => _owner.ManagedThreadId;

    /// <summary>The wall time of the running segment, for a watcher that lists it; 0 after the thread has ended, because the end is not
    /// reported. Any thread may read it; valid under the same condition as <see cref="Measure"/>.</summary>
    public long WallTicks => _owner.IsAlive ? Stopwatch.GetTimestamp() - _startMoment.Timestamp : 0;

    /// <summary>The logs of the thread, for all recorders. Only the owner and a recorder that ends use it.</summary>
    public FlowLog? Log { get; set; }

    /// <summary>Whether the thread is in <see cref="LeaveSpan"/>: it stays in its flow, but in an older context.</summary>
    public bool IsLeavingSpan { get; private set; }

    /// <summary>The number of the segment. Valid under the same condition as <see cref="Measure"/>.</summary>
    public long Number => _version - (2 * _innerChanges);

    /// <summary>A number that increases with each change; even while no change is in progress.</summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>Waits until no change is in progress, and returns the version. This takes nanoseconds, unless the owner is preempted during
    /// a change.</summary>
    public long WaitForEvenVersion()
    {
        var spinner = new UninterruptedSpin();
        long version;
        while (((version = Version) & 1) != 0)
        {
            spinner.SpinOnce();
        }

        spinner.End();
        return version;
    }

    public static ThreadSegment GetOrRegister() => OwnSegment.Current ??= Register(Thread.CurrentThread);

    /// <summary>Stores the contexts before and after the start of a span; null for none. Only the owner may call it.</summary>
    public void StoreSpan(CpuUsageAsyncWatcher? span, ExecutionContext? before, ExecutionContext? after) =>
        (_span, _beforeSpan, _inSpan) = (span, before, after);

    /// <summary>Returns to the context before a span, without an allocation, if nothing else has changed the context since: no other span,
    /// and no await on another thread. Only the owner may call it.</summary>
    public void LeaveSpan(CpuUsageAsyncWatcher span)
    {
        if (_span == span && _beforeSpan is { } before && ReferenceEquals(ExecutionContext.Capture(), _inSpan))
        {
            IsLeavingSpan = true;
            ExecutionContext.Restore(before);
            IsLeavingSpan = false;
            StoreSpan(null, null, null);
        }
    }

    /// <summary>Reads the clocks and counters for a boundary between the running segment and the next one. Only the owner may call
    /// it.</summary>
    public bool TryRead(FlowReadings readings, out CpuSegment now, out FlowMoment moment)
    {
        if ((readings & FlowReadings.Latency) != 0)
        {
            return TryReadLatency(readings, out now, out moment);
        }

        bool known = CpuSegment.TryReadThread(readings, out now);
        moment = (readings & FlowReadings.Switches) != 0 ? new FlowMoment(Stopwatch.GetTimestamp()) : default;
        return known;
    }

    /// <summary>Ends the running segment, or a piece of it if the flow stays the same, adds it to its watchers, and starts another one.
    /// Only the owner may call it.</summary>
    /// <param name="innermost">The innermost watcher of the new segment; null for none.</param>
    /// <param name="now">The clocks of the thread.</param>
    /// <param name="byThreadSwitch">See <see cref="CpuUsageAsyncWatcher.Add"/>.</param>
    /// <param name="moment">The moment of <paramref name="now"/>, if a watcher of either segment lists its switches or measures its
    /// latency.</param>
    /// <param name="readings">The clocks that were read.</param>
    /// <remarks>The clocks are read before the change starts. If they were read during the change, readers would wait while the owner is
    /// preempted there (tried: for milliseconds if threads switch continuously). So another thread may have measured the segment since
    /// then. In this case the segment ends at that measurement, which the owner's clock has also passed, and no total decreases.</remarks>
    public void Change(
        CpuUsageAsyncWatcher? innermost,
        in CpuSegment now,
        bool byThreadSwitch,
        in FlowMoment moment = default,
        FlowReadings readings = default)
    {
        bool hasLeft = HasLatency && AddLatency(now, moment, hasLeft: innermost is null);
        BeginChange();
        CpuSegment end = now;
        if (Innermost is not null)
        {
            AddToWatchers(now - _start, byThreadSwitch, moment.Timestamp - _startMoment.Timestamp);
            end = EndOf(now);
            if (end != now)
            {
                AddToWatchers(end - now, byThreadSwitch: false);
            }
        }

        _watched += Innermost is null ? 0 : end.TotalNanoseconds - _start.TotalNanoseconds;
        _start = end;
        bool isLatencyMeasured = ((_readings | readings) & FlowReadings.Latency) != 0;
        _readings = readings;
        _startMoment = moment;
        SetInnermost(innermost, isLatencyMeasured && !hasLeft ? moment.Timestamp : null, byThreadSwitch);
        EndChange();
    }

    /// <summary>Adds an inner watcher to the running segment or removes it, if nothing else changes. The segment continues for the outer
    /// watchers, so the cost does not depend on their number. Only the owner may call it.</summary>
    /// <param name="entered">The innermost watcher from now on.</param>
    /// <param name="isNew">Whether it has never been in a flow.</param>
    /// <returns><see langword="false"/>, with nothing done, if more must change.</returns>
    /// <remarks>At its end, the segment is added to the inner watcher as a whole, so the part before the watcher is subtracted here. No
    /// other thread can have read the sum of a new watcher before that.</remarks>
    public bool TryChangeInnermost(CpuUsageAsyncWatcher? entered, bool isNew)
    {
        if (Innermost is not { } before || entered is null)
        {
            return false;
        }

        CpuUsageAsyncWatcher? outer = before.Outer;
        bool isRemoved = outer == entered;
        CpuUsageAsyncWatcher inner = isRemoved ? before : entered;
        if ((!isRemoved && (!isNew || !entered.IsRunning || entered.Outer != (before.IsCounting ? before : outer)))
            || (inner.Readings & ~(_readings & ~FlowReadings.OfSegments)) != 0
            || !CpuSegment.TryReadThread(inner.Readings, out CpuSegment now))
        {
            return false;
        }

        StoreMeasured(now.TotalNanoseconds); // for EndWithOwner
        BeginChange();
        if (isRemoved)
        {
            inner.Add(now - _start, byThreadSwitch: false);
            if (EndOf(now) is var end && end != now)
            {
                inner.Add(end - now, byThreadSwitch: false);
            }

            inner.RemoveThread();
        }
        else
        {
            inner.Add(_start - now, byThreadSwitch: false);
            inner.AddThread();
        }

        Innermost = entered;
        _innerChanges++;
        EndChange();
        return true;
    }

    /// <summary>Discards the running segment, because no watcher counts it any more or its end could not be read. The part that was
    /// measured stays in the time of the thread, because the watchers that were stopped have counted it.</summary>
    public void Drop()
    {
        if (Innermost is not null)
        {
            BeginChange();
            _watched += Known.TotalNanoseconds;
            SetInnermost(null, HasLatency ? Stopwatch.GetTimestamp() : null);
            EndChange();
        }
    }

    /// <summary>Returns the end of a segment that has been added to a watcher. The addition is a full fence: either the owner sees the
    /// value that a reader stored, or that reader sees that the version has changed and discards its result.</summary>
    private CpuSegment EndOf(in CpuSegment now) =>
        Volatile.Read(ref _measured) is var measured && measured > now.TotalNanoseconds ? now with { TotalNanoseconds = measured } : now;

    /// <summary>Returns the time of the running segment; until its last measurement if the system does not report it. Any thread may call
    /// it. The result is valid if <see cref="Version"/> was even before the call and has not changed after it.</summary>
    public CpuSegment Measure(FlowReadings readings)
    {
        if (this == OfThread)
        {
            return CpuSegment.TryReadThread(readings, out CpuSegment now) ? now - _start : default;
        }

        // The runtime does not report the end of a thread that was started without a context (UnsafeStart). Its segment is still here, and
        // the system may have assigned its ID to another thread.
        if (!_owner.IsAlive || _threadId is not { } thread
            || !_clocks.TryGetTotal(ResourceOwner.Thread, thread, out long end, out _))
        {
            return Known;
        }

        StoreMeasured(end);
        long total = Math.Max(end - _start.TotalNanoseconds, 0);
        CpuUsage split = default;
        if ((readings & FlowReadings.Split) != 0)
        {
            // The split of another thread has a coarser resolution than its total. So the total counts, and the split gives the kernel
            // part.
            _ = _clocks.TryGetSplit(ResourceOwner.Thread, thread, out split, out _);
            long kernel = Math.Clamp(split.KernelNanoseconds - _start.Split.KernelNanoseconds, 0, total);
            split = new CpuUsage(total - kernel, kernel);
        }

        return new CpuSegment(total, split);
    }

    /// <summary>Returns the CPU time of all segments of the thread so far, in nanoseconds: its time in watched flows. Any thread may call
    /// it.</summary>
    public long GetWatchedNanoseconds()
    {
        long watched = 0;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            long version = WaitForEvenVersion();
            watched = _watched + (Innermost is null ? 0 : Measure(FlowReadings.Total).TotalNanoseconds);
            Volatile.ReadBarrier();
            if (Version == version)
            {
                break;
            }
        }

        return watched;
    }

    /// <summary>Reads the CPU time of threads in watched flows, by the system's ID. Includes threads that have just ended, because the
    /// system may still list them. Returns the sum for all threads, including those that have ended.</summary>
    public static long ReadWatched(Dictionary<long, long> byThread)
    {
        Registered all = Volatile.Read(ref _all);
        long sum = all.EndedNanoseconds;
        foreach (ThreadSegment segment in all.Threads)
        {
            long watched = segment.GetWatchedNanoseconds();
            sum += watched;
            if (segment._threadId is { } id && (segment._owner.IsAlive || !byThread.ContainsKey(id)))
            {
                byThread[id] = watched;
            }
        }

        return sum;
    }

    /// <summary>Makes readers wait until <see cref="EndChange"/>. Only the owner may call it.</summary>
    internal void BeginChange()
    {
        Debug.Assert(_owner == Thread.CurrentThread, "Only one thread writes, so plain increments of the version are sufficient.");
        _version++;
        Volatile.WriteBarrier();
    }

    internal void EndChange() => Volatile.Write(ref _version, _version + 1);

    private void AddToWatchers(in CpuSegment segment, bool byThreadSwitch, long? wallTicks = null)
    {
        for (CpuUsageAsyncWatcher? watcher = Innermost; watcher is not null; watcher = watcher.Outer)
        {
            watcher.Add(segment, byThreadSwitch, wallTicks);
        }
    }

    // Threads are added before they are removed, so the count of a watcher that remains never drops to 0. A stopped watcher that is
    // unlinked in the meantime keeps a count that is no longer read. The time is null if no watcher measures its latency.
    private void SetInnermost(CpuUsageAsyncWatcher? innermost, long? timestamp = null, bool byThreadSwitch = false)
    {
        for (CpuUsageAsyncWatcher? watcher = innermost; watcher is not null; watcher = watcher.Outer)
        {
            watcher.AddThread();
            if (timestamp is { } entry)
            {
                watcher.Counting?.EnterLatency(entry, byThreadSwitch);
            }
        }

        for (CpuUsageAsyncWatcher? watcher = Innermost; watcher is not null; watcher = watcher.Outer)
        {
            watcher.RemoveThread();
            if (timestamp is { } exit)
            {
                watcher.Counting?.LeaveLatency(exit);
            }
        }

        Innermost = innermost;
    }

    // Ends with a full fence, as Change does, even if another reader has stored the value.
    private void StoreMeasured(long end)
    {
        long latest = Volatile.Read(ref _measured);
        while (latest < end)
        {
            long seen = Interlocked.CompareExchange(ref _measured, end, latest);
            latest = seen == latest ? end : seen;
        }

        Interlocked.MemoryBarrier();
    }

    // Creates a new object each time: the segment of an ended thread would be measured with the clock of another thread. Uses no lock:
    // waiting for a lock throws in a thread that is interrupted.
    private static ThreadSegment Register(Thread thread)
    {
        var added = new ThreadSegment(thread, CpuTimes.Current);
        Registered before, after;
        do
        {
            before = Volatile.Read(ref _all);
            ThreadSegment[] ended = [.. before.Threads.Where(static other => !other._owner.IsAlive)];
            foreach (ThreadSegment segment in ended)
            {
                segment.EndWithOwner(); // before it is removed, so that each reader finds its time
            }

            long endedNanoseconds = ended.Sum(static segment => segment.GetWatchedNanoseconds());
            after = new([.. before.Threads.Except(ended), added], before.EndedNanoseconds + endedNanoseconds);
        }
        while (Interlocked.CompareExchange(ref _all, after, before) != before);
        return added;
    }

    // The threads that are running or have ended since a thread was added, and the time of all other threads in watched flows.
    private sealed record Registered(ThreadSegment[] Threads, long EndedNanoseconds);

    /// <summary>A separate class without a static constructor, which is the fastest access to thread statics.</summary>
    private static class OwnSegment
    {
        [ThreadStatic]
        public static ThreadSegment? Current;
    }
}
