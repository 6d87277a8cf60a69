namespace Picollo.Cpu;

/// <content>The parts that few watchers have: label and successor, and the data of a span. (The list of switches is in
/// <see cref="Totals"/>.)</content>
public sealed partial class CpuUsageAsyncWatcher
{
    // Null for most watchers. Replaced as a whole, because any thread may read it without the lock.
    private OptionalWatcherParts? _optionalParts;

    /// <summary>The label of the flow, even after <see cref="StopFor"/>; null if it is unknown. Any thread may read it. It may be set while
    /// the watcher runs.</summary>
    internal FlowLabel? Label
    {
        get => Links?.Label;
        set
        {
            if (Latency is not { } latency)
            {
                Volatile.Write(ref _optionalParts, value?.Links);
            }
            else if (Label != value)
            {
                Volatile.Write(ref _optionalParts, new FlowLinks(value, latency: latency));
            }
        }
    }

    /// <summary>The states of the flow, also after the stop; null if they are not measured.</summary>
    internal FlowLatency? Latency => Volatile.Read(ref _optionalParts)?.Latency;

    /// <summary>The label, the successor and the open segments; null if the watcher has none of them.</summary>
    internal FlowLinks? Links => Volatile.Read(ref _optionalParts) as FlowLinks;

    /// <summary>The data of a running span; null for other watchers.</summary>
    internal SpanData? SpanData => Volatile.Read(ref _optionalParts) as SpanData;

    /// <summary>Whether segments of its flow are measured: for this watcher while it runs, then for its successor.</summary>
    internal bool IsCounting => IsRunning || Links is { IsCounting: true };

    /// <summary>The clocks and counts that are read at each switch of the flow; default if its segments are not measured.</summary>
    internal FlowReadings CountedReadings => IsRunning ? Readings : Links?.Readings ?? default;

    /// <summary>The watcher that the flow's segments count for: this one while it runs, then its successor; null if there is
    /// none.</summary>
    internal CpuUsageAsyncWatcher? Counting => IsRunning ? this : Links?.Successor;

    /// <summary>Whether <see cref="MakeSuccessor"/> created this watcher.</summary>
    internal bool IsSuccessor => Links?.Successor == this;

    /// <summary>Creates a successor for <see cref="StopFor"/>. It is not part of any flow and never stops.</summary>
    /// <remarks>Its total may decrease for a moment while a flow is being stopped.</remarks>
    internal static CpuUsageAsyncWatcher MakeSuccessor(FlowLabel? label = null)
    {
        var successor = new CpuUsageAsyncWatcher(FlowReadings.Total, IsNew);
        successor._optionalParts = new FlowLinks(label, successor); // to itself: the watchers before it share the object
        return successor;
    }

    internal CpuUsageAsyncWatcher MakeRepresentative(CpuUsageAsyncWatcher? outer)
    {
        AddThread(); // never removed
        return new CpuUsageAsyncWatcher(Readings, IsStopped) { _optionalParts = new FlowLinks(label: null, this), _outer = outer };
    }

    /// <summary>Starts a watcher for a span that has just become the current one. <see cref="IsSupported"/> must be true.</summary>
    internal static CpuUsageAsyncWatcher StartSpan(SpanData data)
    {
        var watcher = new CpuUsageAsyncWatcher(FlowReadings.Total | FlowReadings.Split, IsNew)
        {
            _wallTicks = -Stopwatch.GetTimestamp(),
            _optionalParts = data,
        };
        WatchedFlow.EnterSpan(watcher);
        return watcher;
    }

    internal CpuSegment StopSpan()
    {
        Stop();
        return FinalSums ?? WatchedFlow.GetCpuTime(this); // not final yet if another thread is stopping it
    }

    /// <summary>Replaces the data of the span, unless it has changed in the meantime or the span was stopped.</summary>
    internal void ReplaceSpanData(SpanData data, SpanData before) => Interlocked.CompareExchange(ref _optionalParts, data, before);

    /// <summary>Stops this watcher as <see cref="Stop"/> does. Everything that the flow still runs, on any thread, counts for
    /// <paramref name="successor"/> from now on.</summary>
    /// <param name="successor">A watcher that <see cref="MakeSuccessor"/> created, shared by any number of flows; null for none.</param>
    /// <param name="waits">Whether to find segments whose allocated bytes are not yet known. The caller must set
    /// <see cref="OpenSegments.OnEnded"/>.</param>
    /// <returns>These segments; null if all bytes are known or not counted.</returns>
    internal OpenSegments? StopFor(CpuUsageAsyncWatcher? successor, bool waits = false)
    {
        if (Interlocked.CompareExchange(ref _state, IsStopping, IsEntered) != IsEntered)
        {
            return null;
        }

        Debug.Assert(!ListsSwitches || (successor is null && !waits), "A list of switches takes the place of the links.");
        WatchedFlow.Leave(this);
        if (Latency is not null)
        {
            bool isInFlow = ThreadSegment.OfThread is { } own && WatchedFlow.CountsFor(own.Innermost, this);
            if (isInFlow)
            {
                ThreadSegment.OfThread!.EndPiece();
            }

            EndLostThreads(isInFlow ? 1 : 0);
        }

        long end = Stopwatch.GetTimestamp();
        OpenSegments? open = waits && ThreadCount > 0 && (Readings & FlowReadings.Allocations) != 0 ? OpenSegments.Find(this) : null;
        CpuSegment taken = WatchedFlow.GetCpuTime(this, out FlowPiece? last);

        // Replaces the sums. A segment that has ended on another thread in the meantime is either included already or younger than the
        // stop. A segment that still runs is added to the successor as a whole when it ends, so the part that this watcher counts is
        // subtracted there first. This also adds segments that have ended since the query.
        Lock();
        if (open is not null)
        {
            while (!open.IsUnchanged)
            {
                Unlock();
                open.RemoveEnded();
                Lock();
            }

            taken = taken with { AllocatedBytes = open.OwnBytes + _sums.AllocatedBytes };
            open = open.TryWait() ? open : null;
        }

        successor?.Add(_sums - taken, byThreadSwitch: false);
        _wallTicks += end;
        _sums = taken;
        Latency?.Finish(end, taken.TotalNanoseconds);
        if (_optionalParts is SwitchList list)
        {
            list.Last = last;
        }
        else
        {
            FlowLinks? links = successor?.Links ?? Links; // null for a span: its data is no longer needed
            bool isShared = open is null && (successor is null || Latency is null);
            _optionalParts = isShared ? links : new FlowLinks(links?.Label, successor, open, Latency);
        }

        Volatile.Write(ref _state, IsStopped); // after the rest: readers without the lock check the state first
        Unlock();
        if (FlowRecorder.IsActive)
        {
            FlowRecorder.RecordStop(this);
        }

        return open;
    }

    internal void EndWait(OpenSegments open)
    {
        if (Links is { } links && links.Open == open)
        {
            Interlocked.CompareExchange(ref _optionalParts, links.WithoutOpen, links);
        }
    }
}
