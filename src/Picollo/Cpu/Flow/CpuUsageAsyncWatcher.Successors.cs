using System.Diagnostics;

namespace Picollo.Cpu;

/// <content>The successor, which counts what the flow still runs after its watcher is stopped, and the label of the flow.</content>
public sealed partial class CpuUsageAsyncWatcher
{
    private const int ThreadsOfSuccessor = int.MaxValue / 2;

    /// <summary>Whether segments of its flow are measured: for this watcher while it runs, then for its successor.</summary>
    internal bool IsCounting => IsRunning || Successor is not null || _successorOrPieces is OpenSegments;

    /// <summary>The clocks and counts that are read at each switch of the flow; default if its segments are not measured.</summary>
    internal FlowReadings CountedReadings => IsRunning
        ? Readings
        : (Successor?.Readings ?? default) | (_successorOrPieces is OpenSegments ? FlowReadings.Total | FlowReadings.Allocations : default);

    /// <summary>The watcher that the flow's segments count for: this one while it runs, then its successor; null if there is
    /// none.</summary>
    internal CpuUsageAsyncWatcher? Counting => IsRunning ? this : Successor;

    /// <summary>Whether <see cref="MakeSuccessor"/> created this watcher. A successor never stops.</summary>
    internal bool IsSuccessor => ThreadCount >= ThreadsOfSuccessor;

    /// <summary>The purpose of the flow, even after <see cref="StopFor"/>; null if it is unknown. Any thread may read it.</summary>
    internal FlowLabel? Label
    {
        get => LabelOf(Volatile.Read(ref _successorOrPieces));
        set => Volatile.Write(ref _successorOrPieces, value);
    }

    // A stopped successor (the watcher of a span) no longer counts anything.
    private CpuUsageAsyncWatcher? Successor => _successorOrPieces switch
    {
        CpuUsageAsyncWatcher { IsRunning: true } successor => successor,
        OpenSegments { Next: CpuUsageAsyncWatcher { IsRunning: true } successor } => successor,
        _ => null,
    };

    private static FlowLabel? LabelOf(object? successorOrPieces) => successorOrPieces switch
    {
        FlowLabel label => label,
        CpuUsageAsyncWatcher successor => successor.Label,
        OpenSegments open => LabelOf(open.Next),
        _ => null,
    };

    /// <summary>Stops this watcher as <see cref="Stop"/> does. Everything that the flow still runs, on any thread, counts for
    /// <paramref name="successor"/> from now on.</summary>
    /// <param name="successor">A watcher that <see cref="MakeSuccessor"/> created, shared by any number of flows; null for none.</param>
    /// <param name="waits">Whether to find segments whose allocated bytes are not yet known. The caller must set
    /// <see cref="OpenSegments.OnEnded"/>.</param>
    /// <returns>These segments; null if all bytes are known or not counted.</returns>
    internal OpenSegments? StopFor(CpuUsageAsyncWatcher? successor, bool waits = false)
    {
        if (Interlocked.Exchange(ref _state, IsStopRequested) == IsStopRequested)
        {
            return null;
        }

        WatchedFlow.Leave(this);
        long end = Stopwatch.GetTimestamp();
        OpenSegments? open = waits && ThreadCount > 0 && (Readings & FlowReadings.Allocations) != 0 ? OpenSegments.Find(this) : null;
        CpuSegment taken = WatchedFlow.GetCpuTime(this, out FlowPiece? pieces);

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
        }

        successor?.Add(_sums - taken, byThreadSwitch: false);
        _startOrLength = end - _startOrLength;
        _sums = taken;
        object? next = (object?)pieces ?? (object?)successor ?? Label;
        open = open?.TryWait(next) == true ? open : null;
        _successorOrPieces = open ?? next;
        Volatile.Write(ref _isFinal, true);
        Unlock();
        if (FlowRecorder.IsActive)
        {
            FlowRecorder.RecordStop(this);
        }

        return open;
    }

    /// <summary>Ends the wait for the bytes of segments.</summary>
    internal void EndWait(OpenSegments open) => Interlocked.CompareExchange(ref _successorOrPieces, open.Next, open);

    /// <summary>Creates a watcher for <see cref="StopFor"/>. It is not part of any flow and never stops.</summary>
    /// <remarks>Its total may decrease for a moment while a flow is being stopped.</remarks>
    internal static CpuUsageAsyncWatcher MakeSuccessor(FlowLabel? label = null) => new(FlowReadings.Total, isFinal: false)
    {
        _successorOrPieces = label,

        // Its threads are in the flows of the watchers that it succeeds, so a query checks all threads.
        _threadCount = ThreadsOfSuccessor,
    };
}
