using System.Diagnostics;

namespace Picollo.Cpu;

/// <summary>What a thread runs of the flows that are watched: whose time it is, and what the thread's clocks stood at when it began. One
/// object a thread; those of threads that have ended fall out when another thread comes, so that memory follows the peak of
/// threads.</summary>
/// <remarks>Written by its thread alone, read by any. A reader must see a segment either running or added to its watchers, and never both
/// or neither; so each change is between two steps of <see cref="Version"/> (a sequence lock: odd while it changes), and a reader looks
/// whether it is the same afterwards.</remarks>
/// <param name="owner">The calling thread, except in tests.</param>
/// <param name="clocks">What returns the owner's time to other threads.</param>
internal sealed class ThreadSegment(Thread owner, ICpuTimes clocks)
{
    // A thread that switches all the time is read in between at last, wrong by a segment.
    private const int MostAttempts = 10;

    // Replaced when a thread comes; a reader goes on with the one it has, in which a thread that is new has nothing to say yet.
    private static ThreadSegment[] _all = [];

    private readonly Thread _owner = owner;
    private readonly ICpuTimes _clocks = clocks;
    private readonly long? _threadId = clocks.ThreadId;
    private CpuSegment _start;
    private long _startTimestamp;
    private long _watched;
    private long _version;

    // The latest that another thread has read of the owner's clock.
    private long _measured;

    // The span that the owner entered last in the flow it is in, and the contexts before and after; by the owner only.
    private CpuUsageAsyncWatcher? _span;
    private ExecutionContext? _beforeSpan;
    private ExecutionContext? _inSpan;

    /// <summary>Those of all threads that ever took up a watched flow.</summary>
    public static ReadOnlySpan<ThreadSegment> All => Volatile.Read(ref _all);

    /// <summary>The calling thread's; null before it has changed anything.</summary>
    public static ThreadSegment? OfThread => OwnSegment.Current;

    /// <summary>Whose time the segment is: this one's and those' outside of it; null where none runs.</summary>
    public CpuUsageAsyncWatcher? Watchers { get; private set; }

    /// <summary>The system's ID of the thread; null where it does not return one, and once the thread has ended: others may get
    /// it.</summary>
    public long? ThreadId => _owner.IsAlive ? _threadId : null;

    /// <summary>The thread's managed ID.</summary>
    public int ManagedThreadId => _owner.ManagedThreadId;

    /// <summary>The wall time of the segment that runs, for a watcher that lists it, by any thread; 0 once the thread has ended, because
    /// nothing reports when. As true as <see cref="Measure"/>.</summary>
    public long WallTicks => _owner.IsAlive ? Stopwatch.GetTimestamp() - _startTimestamp : 0;

    /// <summary>The thread's logs, of all that record its switches; by the owner, and by a recorder that ends.</summary>
    public FlowLog? Log { get; set; }

    /// <summary>Whether the thread is in <see cref="LeaveSpan"/>: it goes on with its flow, in an older context.</summary>
    public bool IsLeavingSpan { get; private set; }

    /// <summary>Even while nothing changes; grows with each change.</summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>The version once no change is under way: some nanoseconds, unless the owner loses its processor just then.</summary>
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

    /// <summary>The calling thread's, made at the first call.</summary>
    public static ThreadSegment GetOrRegister() => OwnSegment.Current ??= Register(Thread.CurrentThread);

    /// <summary>Notes the contexts around the start of a span; null for none. By the owner only.</summary>
    public void NoteSpan(CpuUsageAsyncWatcher? span, ExecutionContext? before, ExecutionContext? after) =>
        (_span, _beforeSpan, _inSpan) = (span, before, after);

    /// <summary>Returns to the context before a span, which allocates nothing, if nothing else has changed the context since: no other
    /// span, and no await on another thread. By the owner only.</summary>
    public void LeaveSpan(CpuUsageAsyncWatcher span)
    {
        if (_span == span && _beforeSpan is { } before && ReferenceEquals(ExecutionContext.Capture(), _inSpan))
        {
            IsLeavingSpan = true;
            ExecutionContext.Restore(before);
            IsLeavingSpan = false;
            NoteSpan(null, null, null);
        }
    }

    /// <summary>Ends the segment that ran, adding it to its watchers, and begins another; by the owner only.</summary>
    /// <param name="watchers">Whose time comes now; null for nobody's.</param>
    /// <param name="now">The thread's clocks.</param>
    /// <param name="byThreadSwitch">As for <see cref="CpuUsageAsyncWatcher.Add"/>.</param>
    /// <param name="timestamp">The wall time of <paramref name="now"/>, if one of the watchers that come or go lists its switches.</param>
    /// <remarks>The clocks were read before the change began: were they read within it, readers would wait for an owner that loses
    /// its processor there (tried: where threads switched all the time, for milliseconds). So another thread may have measured the
    /// segment since; then it ends no earlier than that, which its owner's clock has passed too, and no total goes back.</remarks>
    public void Change(CpuUsageAsyncWatcher? watchers, in CpuSegment now, bool byThreadSwitch, long timestamp = 0)
    {
        BeginChange();
        CpuSegment end = now;
        if (Watchers is not null)
        {
            AddToWatchers(now - _start, byThreadSwitch, timestamp - _startTimestamp);

            // An addition is a full fence: either the owner sees here what a reader has noted, or that reader sees that the version
            // has changed, and does not use it.
            long measured = Volatile.Read(ref _measured);
            if (measured > now.TotalNanoseconds)
            {
                end = now with { TotalNanoseconds = measured };
                AddToWatchers(end - now, byThreadSwitch: false);
            }
        }

        _watched += Watchers is null ? 0 : end.TotalNanoseconds - _start.TotalNanoseconds;
        _start = end;
        _startTimestamp = timestamp;
        SetWatchers(watchers);
        EndChange();
    }

    /// <summary>Forgets the segment that ran: nobody asks for it any more, or its end could not be read.</summary>
    public void Drop()
    {
        if (Watchers is not null)
        {
            BeginChange();
            SetWatchers(null);
            EndChange();
        }
    }

    /// <summary>What has passed of the segment that runs, by any thread; true of this moment if <see cref="Version"/> was even before
    /// and is the same afterwards. Nothing where the system does not tell it.</summary>
    public CpuSegment Measure(FlowReadings readings)
    {
        if (this == OfThread)
        {
            return CpuSegment.TryReadThread(readings, out CpuSegment now) ? now - _start : default;
        }

        // The end of a thread that was started without a context of its own (UnsafeStart) is not told: its segment is here still, and the
        // system may have given its id to another thread.
        if (!_owner.IsAlive || _threadId is not { } thread || !_clocks.TryGetTotal(ResourceOwner.Thread, thread, out long end, out _))
        {
            return default;
        }

        NoteMeasured(end);
        long total = Math.Max(end - _start.TotalNanoseconds, 0);
        CpuUsage split = default;
        if ((readings & FlowReadings.Split) != 0)
        {
            // Another thread's split has a coarser step than its total: the total counts, and the split says what of it was kernel.
            _ = _clocks.TryGetSplit(ResourceOwner.Thread, thread, out split, out _);
            long kernel = Math.Clamp(split.KernelNanoseconds - _start.Split.KernelNanoseconds, 0, total);
            split = new CpuUsage(total - kernel, kernel);
        }

        return new CpuSegment(total, split);
    }

    /// <summary>The CPU time of all its segments up to now, in nanoseconds, by any thread: what it took in flows that were
    /// watched.</summary>
    public long GetWatchedNanoseconds()
    {
        long watched = 0;
        for (int attempt = 0; attempt < MostAttempts; attempt++)
        {
            long version = WaitForEvenVersion();
            watched = _watched + (Watchers is null ? 0 : Measure(FlowReadings.Total).TotalNanoseconds);
            Volatile.ReadBarrier();
            if (Version == version)
            {
                break;
            }
        }

        return watched;
    }

    /// <summary>From here to <see cref="EndChange"/> readers wait; by the owner only.</summary>
    internal void BeginChange()
    {
        Debug.Assert(_owner == Thread.CurrentThread, "There is one writer, so that plain steps of the version do.");
        _version++;
        Volatile.WriteBarrier();
    }

    internal void EndChange() => Volatile.Write(ref _version, _version + 1);

    private void AddToWatchers(in CpuSegment segment, bool byThreadSwitch, long? wallTicks = null)
    {
        for (CpuUsageAsyncWatcher? watcher = Watchers; watcher is not null; watcher = watcher.Outer)
        {
            watcher.Add(segment, byThreadSwitch, wallTicks);
        }
    }

    // Counted in before it is counted out, so that a watcher that the thread keeps never looks as if it had lost it. A stopped watcher that
    // falls out meanwhile keeps a count that nobody looks at.
    private void SetWatchers(CpuUsageAsyncWatcher? watchers)
    {
        for (CpuUsageAsyncWatcher? watcher = watchers; watcher is not null; watcher = watcher.Outer)
        {
            watcher.AddThread();
        }

        for (CpuUsageAsyncWatcher? watcher = Watchers; watcher is not null; watcher = watcher.Outer)
        {
            watcher.RemoveThread();
        }

        Watchers = watchers;
    }

    // With a full fence at its end, as Change has one, also where the note is another reader's.
    private void NoteMeasured(long end)
    {
        long latest = Volatile.Read(ref _measured);
        while (latest < end)
        {
            long seen = Interlocked.CompareExchange(ref _measured, end, latest);
            latest = seen == latest ? end : seen;
        }

        Interlocked.MemoryBarrier();
    }

    // A new object each time: what an ended thread left would be measured by another thread's clock.
    // Without a lock: waiting for one throws in a thread that is interrupted.
    private static ThreadSegment Register(Thread thread)
    {
        var added = new ThreadSegment(thread, CpuTimes.Current);
        ThreadSegment[] all;
        do
        {
            all = Volatile.Read(ref _all);
        }
        while (Interlocked.CompareExchange(ref _all, [.. all.Where(other => other._owner.IsAlive), added], all) != all);
        return added;
    }

    /// <summary>Alone in a class without a static constructor: the shortest way to a thread's statics.</summary>
    private static class OwnSegment
    {
        [ThreadStatic]
        public static ThreadSegment? Current;
    }
}

/// <summary>What is read at each switch, for the watchers of a flow.</summary>
[Flags]
internal enum FlowReadings
{
    /// <summary>The CPU time.</summary>
    Total = 1,

    /// <summary>User and kernel time apart.</summary>
    Split = 2,

    /// <summary>The bytes that the thread has allocated.</summary>
    Allocations = 4,

    /// <summary>The wall time, for the list of switches.</summary>
    Switches = 8,
}

/// <summary>A thread's CPU clocks and allocated bytes at a moment, or what passed between two; the split and the bytes are 0 if no watcher
/// asked for them, and the bytes of another thread's segment until it ends.</summary>
internal readonly record struct CpuSegment(long TotalNanoseconds, CpuUsage Split, long AllocatedBytes = 0)
{
    public static CpuSegment operator -(in CpuSegment end, in CpuSegment start) =>
        new(end.TotalNanoseconds - start.TotalNanoseconds, end.Split - start.Split, end.AllocatedBytes - start.AllocatedBytes);

    public static CpuSegment operator +(in CpuSegment left, in CpuSegment right) =>
        new(
            left.TotalNanoseconds + right.TotalNanoseconds, left.Split + right.Split, left.AllocatedBytes + right.AllocatedBytes);

    /// <summary>The current thread's clocks.</summary>
    public static bool TryReadThread(FlowReadings readings, out CpuSegment now)
    {
        CpuUsage split = default;
        bool known = (readings & FlowReadings.Split) != 0
            ? CpuTimes.Current.TryGetThread(out long total, out split)
            : CpuTimes.Current.TryGetThread(out total);
        long allocated = (readings & FlowReadings.Allocations) != 0 ? GC.GetAllocatedBytesForCurrentThread() : 0;
        now = new CpuSegment(total, split, allocated);
        return known;
    }
}
