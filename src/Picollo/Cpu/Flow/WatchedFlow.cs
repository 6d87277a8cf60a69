namespace Picollo.Cpu;

/// <summary>The watchers of the current flow. The runtime calls <see cref="OnSwitch"/> at each switch, on the thread that
/// switches.</summary>
/// <remarks>The value of the flow is its innermost watcher, which links to the others by <see cref="CpuUsageAsyncWatcher.Outer"/>. Child
/// flows keep their watchers while the parent adds and removes its own. A stopped watcher may remain in flows other than the one that
/// stopped it, or behind an inner one. It is skipped, and unlinked when the watchers of the flow are next enumerated. A flow that has only
/// stopped watchers does not read clocks.</remarks>
internal static class WatchedFlow
{
    private static readonly AsyncLocal<CpuUsageAsyncWatcher?> Current = new(OnSwitch);

    /// <summary>The number of watchers in the current flow, including a stopped innermost one.</summary>
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
        if (EmptyFlow.Contexts is { } empty && ReferenceEquals(ExecutionContext.Capture(), empty.Plain))
        {
            ExecutionContext.Restore(empty.Listening);
        }
        else
        {
            watcher.Outer = Current.Value;
        }

        Current.Value = watcher;
    }

    /// <summary>Enters the watcher of a span, in the span's own context.</summary>
    public static void EnterSpan(CpuUsageAsyncWatcher watcher)
    {
        ExecutionContext? before = ExecutionContext.Capture();
        watcher.Outer = Current.Value;
        Current.Value = watcher;
        ThreadSegment.GetOrRegister().StoreSpan(watcher, before, ExecutionContext.Capture());
    }

    /// <summary>The watcher of the innermost running span of the current flow; null for none.</summary>
    public static CpuUsageAsyncWatcher? InnermostSpan
    {
        get
        {
            CpuUsageAsyncWatcher? watcher = Current.Value;
            while (watcher is not null && watcher.Counting?.SpanData is null)
            {
                watcher = watcher.Outer;
            }

            return watcher?.Counting;
        }
    }

    /// <remarks>The watcher of a span remains if its context cannot be restored. A new context without it would cost 88 bytes, and the
    /// runtime creates one anyway when it sets the parent.</remarks>
    public static void Leave(CpuUsageAsyncWatcher watcher)
    {
        if (Current.Value == watcher)
        {
            if (watcher.SpanData is not null)
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

    public static IDisposable SuspendExceptSpans()
    {
        var suspended = new Suspended(Current.Value);
        Current.Value = Represent(Current.Value, static span => span.SpanData is not null, outer: null);
        return suspended;
    }

    /// <summary>Returns the CPU time of a flow so far: the completed segments, and those that threads currently run. The latter matter even
    /// to a sequential flow: its continuation may run while the thread that queued it waits for a processor and has not left the flow
    /// yet.</summary>
    /// <remarks>The thread count usually shows that no other thread is in the flow. Checking the segments of all threads would cost a cache
    /// miss each: microseconds on a large machine.</remarks>
    public static CpuSegment GetCpuTime(CpuUsageAsyncWatcher watcher) => GetCpuTime(watcher, out _);

    /// <inheritdoc cref="GetCpuTime(CpuUsageAsyncWatcher)"/>
    /// <param name="watcher">The watcher of the flow.</param>
    /// <param name="lastPiece">The last piece of the list, if the watcher lists its switches.</param>
    public static CpuSegment GetCpuTime(CpuUsageAsyncWatcher watcher, out FlowPiece? lastPiece)
    {
        ThreadSegment? own = ThreadSegment.OfThread;
        bool isInFlow = own is not null && watcher.ThreadCount > 0 && Contains(own.Innermost, watcher);
        if (watcher.ListsSwitches || watcher.IsSuccessor || watcher.ThreadCount > (isInFlow ? 1 : 0))
        {
            return GetCpuTime(watcher, ThreadSegment.All, out lastPiece);
        }

        // Reads the count first, then the sums: a thread that has left the flow since then has already added its time.
        lastPiece = null;
        CpuSegment taken = isInFlow ? own!.Measure(watcher.Readings) + watcher.Sums : watcher.Sums;
        return watcher.FinalSums ?? taken;
    }

    /// <remarks>Each thread is measured once. The measurement is valid if its segment still runs after the sums have been read. Otherwise
    /// the sums are read again, which now include the whole segment; the next segment of that thread is younger than the query. So there
    /// are at most as many rounds as threads, however fast they switch, and the time that counts for each thread lies between the start and
    /// the end of the query.</remarks>
    internal static CpuSegment GetCpuTime(CpuUsageAsyncWatcher watcher, ReadOnlySpan<ThreadSegment> threads, out FlowPiece? lastPiece)
    {
        // The segment of the calling thread cannot change in the meantime, and there is usually no other.
        CpuSegment own = default;
        long ownWallTicks = 0;
        List<(RunningSegment Segment, CpuSegment Measured, long WallTicks)>? others = null;
        foreach (ThreadSegment thread in threads)
        {
            RunningSegment segment = new(thread);
            if (!segment.CountsFor(watcher))
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
                (others ??= []).Add((segment, measured, wallTicks));
            }
        }

        CpuSegment taken;
        do
        {
            taken = own + watcher.GetSums(out lastPiece);
            Volatile.ReadBarrier();
        }
        while (others?.RemoveAll(other => other.Segment.HasEnded(watcher)) > 0);

        // The watcher may have been stopped and have lost segments before they were measured: threads drop segments that no watcher counts.
        if (watcher.FinalSums is { } final)
        {
            lastPiece = watcher.LastPiece;
            return final;
        }

        if (ownWallTicks > 0)
        {
            lastPiece = new FlowPiece(own.Split, ownWallTicks, Environment.CurrentManagedThreadId, IsEnd: false) { Previous = lastPiece };
        }

        foreach ((RunningSegment segment, CpuSegment measured, long wallTicks) in CollectionsMarshal.AsSpan(others))
        {
            taken += measured;
            if (wallTicks > 0 || (watcher.ListsSwitches && measured.TotalNanoseconds > 0))
            {
                lastPiece = new FlowPiece(measured.Split, wallTicks, segment.Thread.ManagedThreadId, IsEnd: false) { Previous = lastPiece };
            }
        }

        return taken;
    }

    /// <summary>Whether the running watchers of a thread include this one.</summary>
    private static bool Contains(CpuUsageAsyncWatcher? innermost, CpuUsageAsyncWatcher watcher)
    {
        while (innermost is not null && innermost != watcher)
        {
            innermost = innermost.Outer;
        }

        return innermost is not null;
    }

    /// <summary>Works like <see cref="Contains"/>, but also finds stopped watchers whose successor is
    /// <paramref name="watcher"/>.</summary>
    internal static bool CountsFor(CpuUsageAsyncWatcher? innermost, CpuUsageAsyncWatcher watcher)
    {
        while (innermost is not null && innermost != watcher && innermost.Counting != watcher)
        {
            innermost = innermost.Outer;
        }

        return innermost is not null;
    }

    /// <remarks>An exception in this handler would end the process (a rule of the runtime), so nothing here can throw.</remarks>
    private static void OnSwitch(AsyncLocalValueChangedArgs<CpuUsageAsyncWatcher?> change)
    {
        ThreadSegment thread = ThreadSegment.GetOrRegister();
        bool byThreadSwitch = change.ThreadContextChanged && !thread.IsLeavingSpan;
        if (byThreadSwitch)
        {
            thread.StoreSpan(null, null, null); // releases the flow that the thread has left
        }

        CpuUsageAsyncWatcher? before = thread.Innermost;
        CpuUsageAsyncWatcher? entered = change.CurrentValue;
        bool isNew = !byThreadSwitch && entered?.MarkEntered() == true;
        if (byThreadSwitch || !thread.TryChangeInnermost(entered, isNew))
        {
            FlowReadings ofEntered = ReadingsOf(entered);
            FlowReadings readings = ReadingsOf(before) | ofEntered;
            if (readings != default && thread.TryRead(readings, out CpuSegment now, out FlowMoment moment))
            {
                thread.Change(ofEntered != default ? entered : null, now, byThreadSwitch, moment, readings);
            }
            else
            {
                thread.Drop();
            }
        }

        if (FlowRecorder.IsActive && (before ?? thread.Innermost) is not null)
        {
            FlowRecorder.RecordSwitch(thread, before);
        }
    }

    /// <summary>Returns the readings that the counting watchers need; default if none counts.</summary>
    private static FlowReadings ReadingsOf(CpuUsageAsyncWatcher? watcher)
    {
        FlowReadings readings = default;
        for (; watcher is not null; watcher = watcher.Outer)
        {
            readings |= watcher.CountedReadings;
        }

        return readings;
    }

    /// <summary>Returns a flow of representatives of the selected watchers of another flow, in the outer one if there is one.</summary>
    /// <remarks>All flows that contain a watcher share its link to the outer one, so each gets a representative that belongs to this flow
    /// alone.</remarks>
    private static CpuUsageAsyncWatcher? Represent(
        CpuUsageAsyncWatcher? watcher, Predicate<CpuUsageAsyncWatcher> isKept, CpuUsageAsyncWatcher? outer)
    {
        Stack<CpuUsageAsyncWatcher>? kept = null;
        for (; watcher is not null; watcher = watcher.Outer)
        {
            if (watcher.Counting is { } counting && isKept(counting))
            {
                (kept ??= []).Push(counting);
            }
        }

        foreach (CpuUsageAsyncWatcher represented in kept ?? [])
        {
            outer = represented.MakeRepresentative(outer);
        }

        return outer;
    }

    private sealed class Suspended(CpuUsageAsyncWatcher? innermost) : IDisposable
    {
        private CpuUsageAsyncWatcher? _innermost = innermost;

        /// <remarks>Watchers that were created in the meantime remain in the flow.</remarks>
        public void Dispose()
        {
            CpuUsageAsyncWatcher? resumed = _innermost is { IsCounting: false } stopped ? stopped.Outer : _innermost;
            _innermost = null;
            if (resumed is not null)
            {
                Current.Value = Represent(Current.Value, created => !CountsFor(resumed, created), resumed);
            }
        }
    }

    /// <summary>The runtime allocates an array of listeners for each flow that has none. An empty flow gets a shared one instead, which
    /// saves an object and 32 bytes.</summary>
    private sealed class EmptyFlow : IThreadPoolWorkItem
    {
        private static EmptyFlow? _contexts;
        private static bool _isRequested;

        private EmptyFlow()
        {
        }

        /// <summary>The contexts; null until a thread of the pool has created them. The caller's context may contain anything, and waiting
        /// for another thread could throw.</summary>
        public static EmptyFlow? Contexts => Volatile.Read(ref _contexts) ?? Request();

        /// <summary>The context of a thread whose context was never changed.</summary>
        public ExecutionContext? Plain { get; private set; }

        /// <summary>An empty context that listens for watchers.</summary>
        public ExecutionContext Listening { get; private set; } = null!;

        void IThreadPoolWorkItem.Execute()
        {
            Plain = ExecutionContext.Capture();
            Current.Value = CpuUsageAsyncWatcher.MakeStopped(); // setting null alone would not be a change
            Current.Value = null;
            Listening = ExecutionContext.Capture()!;
            Volatile.Write(ref _contexts, this);
        }

        private static EmptyFlow? Request()
        {
            if (!Interlocked.Exchange(ref _isRequested, true))
            {
                try
                {
                    ThreadPool.UnsafeQueueUserWorkItem(new EmptyFlow(), preferLocal: false);
                }
                catch (ThreadInterruptedException)
                {
                    Volatile.Write(ref _isRequested, false);
                    Thread.CurrentThread.Interrupt(); // left to the next wait of the caller
                }
            }

            return null;
        }
    }
}
