using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Picollo.Cpu;

/// <summary>Which watchers the current flow has, and what its thread's clocks stood at when it took the flow up. The runtime calls
/// <see cref="OnSwitch"/> on each thread that takes up or leaves a flow that is watched.</summary>
/// <remarks>The flow's value is its innermost watcher, and the others follow by <see cref="CpuUsageAsyncWatcher.Outer"/>: children go on
/// with theirs while the parent adds and removes watchers. A stopped watcher may stay in flows other than the one that stopped it, or
/// behind an inner one; it is passed over, and falls out when the flow is next looked through. A flow with stopped watchers only costs no
/// read.</remarks>
internal static class WatchedFlow
{
    private static readonly AsyncLocal<CpuUsageAsyncWatcher?> Current = new(OnSwitch);

    /// <summary>How many watchers the current flow carries, a stopped innermost one too.</summary>
    public static int Count
    {
        get
        {
            int count = 0;
            for (CpuUsageAsyncWatcher? watcher = Current.Value; watcher is not null; watcher = watcher.Outer)
            {
                count++;
            }

            return count;
        }
    }

    public static void Enter(CpuUsageAsyncWatcher watcher)
    {
        if (ReferenceEquals(ExecutionContext.Capture(), EmptyFlow.Contexts.Plain))
        {
            ExecutionContext.Restore(EmptyFlow.Contexts.Listening);
        }
        else
        {
            watcher.Outer = Current.Value;
        }

        Current.Value = watcher;
    }

    /// <summary>As <see cref="Enter"/>, for a watcher of a span, which is entered in the span's own context.</summary>
    public static void EnterSpan(CpuUsageAsyncWatcher watcher)
    {
        ExecutionContext? before = ExecutionContext.Capture();
        watcher.Outer = Current.Value;
        Current.Value = watcher;
        ThreadSegment.GetOrRegister().NoteSpan(watcher, before, ExecutionContext.Capture());
    }

    /// <summary>The innermost span of the current flow that runs, by its watcher; null for none.</summary>
    public static CpuUsageAsyncWatcher? InnermostSpan
    {
        get
        {
            CpuUsageAsyncWatcher? watcher = Current.Value;
            while (watcher is not null && watcher.Counting?.Companion is null)
            {
                watcher = watcher.Outer;
            }

            return watcher?.Counting;
        }
    }

    /// <remarks>A span's watcher stays if its context cannot be restored. A new context without it would cost 88 bytes, and the runtime
    /// makes one anyway, when it sets the parent.</remarks>
    public static void Leave(CpuUsageAsyncWatcher watcher)
    {
        if (Current.Value == watcher)
        {
            if (watcher.Companion is not null)
            {
                ThreadSegment.GetOrRegister().LeaveSpan(watcher);
            }
            else
            {
                Current.Value = watcher.Outer;
            }
        }
    }

    public static IDisposable Suspend()
    {
        var suspended = new Suspended(Current.Value);
        Current.Value = null;
        return suspended;
    }

    /// <summary>As <see cref="Suspend"/>, except for the spans of the flow, which go on.</summary>
    /// <remarks>The links between watchers are shared by all flows that have them, so that each span is represented by a watcher of this
    /// flow alone.</remarks>
    public static IDisposable SuspendExceptSpans()
    {
        var suspended = new Suspended(Current.Value);
        Current.Value = Represent(Current.Value);
        return suspended;

        static CpuUsageAsyncWatcher? Represent(CpuUsageAsyncWatcher? watcher)
        {
            while (watcher is not null && watcher.Counting?.Companion is null)
            {
                watcher = watcher.Outer;
            }

            return watcher is { Counting: { } span } ? span.MakeRepresentative(Represent(watcher.Outer)) : null;
        }
    }

    /// <summary>What a flow has taken up to now: the segments that have ended, and those that threads are in at the moment. The latter
    /// matter even to a flow that does one thing after the other: its continuation may run while the thread that queued it
    /// has not left the flow yet, and waits for a processor.</summary>
    /// <remarks>Mostly no other thread is in it, which its count tells: a look at all threads' segments would be a cache miss each, on
    /// a large machine microseconds.</remarks>
    public static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher) => GetTaken(watcher, out _);

    /// <inheritdoc cref="GetTaken(CpuUsageAsyncWatcher)"/>
    /// <param name="watcher">The watcher of the flow.</param>
    /// <param name="pieces">The list of the same, if the watcher lists its switches.</param>
    public static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher, out FlowPiece? pieces)
    {
        ThreadSegment? own = ThreadSegment.OfThread;
        bool isInFlow = own is not null && Contains(own.Watchers, watcher);
        if (watcher.ListsSwitches || watcher.ThreadCount > (isInFlow ? 1 : 0))
        {
            return GetTaken(watcher, ThreadSegment.All, out pieces);
        }

        // The count first, then the sums: who has left it since has added to them.
        pieces = null;
        CpuSegment taken = isInFlow ? own!.Measure(watcher.Readings) + watcher.Ended : watcher.Ended;
        return watcher.Final ?? taken;
    }

    /// <remarks>Each thread is measured once, and what it was measured with is right as long as its segment still runs when the sums have
    /// been read. Where it does not, the sums are read again, which have all of it now; what that thread has begun meanwhile is younger
    /// than the question. So there are no more rounds than threads, however fast they switch, and what each is counted with lies between
    /// the question and the answer.</remarks>
    internal static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher, ReadOnlySpan<ThreadSegment> threads, out FlowPiece? pieces)
    {
        // The calling thread's own cannot change meanwhile, and mostly there is no other.
        CpuSegment own = default;
        long ownWallTicks = 0;
        List<(ThreadSegment Thread, long Version, CpuSegment Measured, long WallTicks)>? others = null;
        foreach (ThreadSegment thread in threads)
        {
            long version = thread.WaitForEvenVersion();
            if (!CountsFor(thread.Watchers, watcher))
            {
                continue;
            }

            CpuSegment measured = thread.Measure(watcher.Readings);
            long wallTicks = watcher.ListsSwitches ? thread.WallTicks : 0;
            if (thread == ThreadSegment.OfThread)
            {
                (own, ownWallTicks) = (measured, wallTicks);
            }
            else
            {
                (others ??= []).Add((thread, version, measured, wallTicks));
            }
        }

        CpuSegment taken;
        do
        {
            taken = own + watcher.GetEnded(out pieces);
            Volatile.ReadBarrier();
        }
        while (others?.RemoveAll(static other => other.Thread.WaitForEvenVersion() != other.Version) > 0);

        // Stopped meanwhile, it may have lost segments before they were measured: threads drop what nobody asks for.
        if (watcher.Final is { } final)
        {
            pieces = watcher.Pieces;
            return final;
        }

        if (ownWallTicks > 0)
        {
            pieces = new FlowPiece(own.Split, ownWallTicks, Environment.CurrentManagedThreadId, isEnd: false) { Previous = pieces };
        }

        foreach ((ThreadSegment thread, _, CpuSegment measured, long wallTicks) in CollectionsMarshal.AsSpan(others))
        {
            taken += measured;
            if (wallTicks > 0)
            {
                pieces = new FlowPiece(measured.Split, wallTicks, thread.ManagedThreadId, isEnd: false) { Previous = pieces };
            }
        }

        return taken;
    }

    internal static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher, ReadOnlySpan<ThreadSegment> threads) =>
        GetTaken(watcher, threads, out _);

    /// <summary>Whether a watcher that runs is this one or outside of it.</summary>
    private static bool Contains(CpuUsageAsyncWatcher? innermost, CpuUsageAsyncWatcher watcher)
    {
        while (innermost is not null && innermost != watcher)
        {
            innermost = innermost.Outer;
        }

        return innermost is not null;
    }

    /// <summary>As <see cref="Contains"/>, and for one that has taken over from stopped watchers whether it has from one of
    /// these.</summary>
    private static bool CountsFor(CpuUsageAsyncWatcher? innermost, CpuUsageAsyncWatcher watcher)
    {
        while (innermost is not null && innermost != watcher && innermost.Counting != watcher)
        {
            innermost = innermost.Outer;
        }

        return innermost is not null;
    }

    /// <remarks>An exception from here would end the process (the runtime's rule), so nothing here can throw.</remarks>
    private static void OnSwitch(AsyncLocalValueChangedArgs<CpuUsageAsyncWatcher?> change)
    {
        ThreadSegment thread = ThreadSegment.GetOrRegister();
        bool byThreadSwitch = change.ThreadContextChanged && !thread.IsLeavingSpan;
        if (byThreadSwitch)
        {
            thread.NoteSpan(null, null, null); // keeps nothing of a flow that the thread has left
        }

        CpuUsageAsyncWatcher? before = thread.Watchers;
        CpuUsageAsyncWatcher? entered = change.CurrentValue;
        FlowReadings ofEntered = ReadingsOf(entered);
        FlowReadings readings = ReadingsOf(thread.Watchers) | ofEntered;
        if (readings != default && CpuSegment.TryReadThread(readings, out CpuSegment now))
        {
            long timestamp = (readings & FlowReadings.Switches) != 0 ? Stopwatch.GetTimestamp() : 0;
            thread.Change(ofEntered != default ? entered : null, now, byThreadSwitch, timestamp);
        }
        else
        {
            thread.Drop();
        }

        if (FlowRecorder.IsActive && (before ?? thread.Watchers) is not null)
        {
            FlowRecorder.RecordSwitch(thread, before);
        }
    }

    /// <summary>What those among them ask for that still count; default where none does.</summary>
    private static FlowReadings ReadingsOf(CpuUsageAsyncWatcher? watcher)
    {
        FlowReadings readings = default;
        for (; watcher is not null; watcher = watcher.Outer)
        {
            readings |= watcher.Counting?.Readings ?? default;
        }

        return readings;
    }

    private sealed class Suspended(CpuUsageAsyncWatcher? innermost) : IDisposable
    {
        private CpuUsageAsyncWatcher? _innermost = innermost;

        public void Dispose()
        {
            if (_innermost is { } innermost)
            {
                Current.Value = innermost.IsCounting ? innermost : innermost.Outer;
                _innermost = null;
            }
        }
    }

    /// <summary>The runtime allocates an array of listeners for each flow that has none: an empty flow is given one that was made once,
    /// which saves an object and 32 bytes.</summary>
    private static class EmptyFlow
    {
        /// <summary>The context of a thread where nothing was put into it, and an empty one that listens for watchers.</summary>
        public static readonly (ExecutionContext Plain, ExecutionContext Listening) Contexts = Make();

        // On a new thread: the caller's context may have anything in it.
        private static (ExecutionContext Plain, ExecutionContext Listening) Make()
        {
            ExecutionContext? plain = null, listening = null;
            var thread = new Thread(() =>
            {
                plain = ExecutionContext.Capture();
                Current.Value = CpuUsageAsyncWatcher.MakeStopped(); // null alone would be no change
                Current.Value = null;
                listening = ExecutionContext.Capture();
            });
            thread.UnsafeStart();
            thread.Join();
            return (plain!, listening!);
        }
    }
}
