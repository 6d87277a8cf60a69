using System.Diagnostics;

namespace Picollo.Cpu;

/// <content>The successor, which counts what the flow still runs after its watcher is stopped, and the label of the flow.</content>
public sealed partial class CpuUsageAsyncWatcher
{
    private const int ThreadsOfSuccessor = int.MaxValue / 2;

    /// <summary>Whether segments of its flow are measured: for this watcher while it runs, then for its successor.</summary>
    internal bool IsCounting => IsRunning || Successor is not null;

    /// <summary>The watcher that the flow's segments count for: this one while it runs, then its successor; null if there is
    /// none.</summary>
    internal CpuUsageAsyncWatcher? Counting => IsRunning ? this : Successor;

    /// <summary>Whether <see cref="MakeSuccessor"/> created this watcher. A successor never stops.</summary>
    internal bool IsSuccessor => ThreadCount >= ThreadsOfSuccessor;

    /// <summary>The purpose of the flow, even after <see cref="StopFor"/>; null if it is unknown. Any thread may read it.</summary>
    internal FlowLabel? Label
    {
        get => Volatile.Read(ref _successorOrPieces) switch
        {
            FlowLabel label => label,
            CpuUsageAsyncWatcher successor => successor.Label,
            _ => null,
        };
        set => Volatile.Write(ref _successorOrPieces, value);
    }

    // A stopped successor (the watcher of a span) no longer counts anything.
    private CpuUsageAsyncWatcher? Successor => _successorOrPieces is CpuUsageAsyncWatcher { IsRunning: true } successor ? successor : null;

    /// <summary>Stops this watcher as <see cref="Stop"/> does. Everything that the flow still runs, on any thread, counts for
    /// <paramref name="successor"/> from now on.</summary>
    /// <param name="successor">A watcher that <see cref="MakeSuccessor"/> created, shared by any number of flows; null for none.</param>
    internal void StopFor(CpuUsageAsyncWatcher? successor)
    {
        if (Interlocked.Exchange(ref _stopRequested, 1) != 0)
        {
            return;
        }

        WatchedFlow.Leave(this);
        long end = Stopwatch.GetTimestamp();
        CpuSegment taken = WatchedFlow.GetCpuTime(this, out FlowPiece? pieces);

        // Replaces the sums. A segment that has ended on another thread in the meantime is either included already or younger than the
        // stop. A segment that still runs is added to the successor as a whole when it ends, so the part that this watcher counts is
        // subtracted there first. This also adds segments that have ended since the query.
        Lock();
        successor?.Add(_sums - taken, byThreadSwitch: false);
        _startOrLength = end - _startOrLength;
        _sums = taken;
        _successorOrPieces = (object?)pieces ?? (object?)successor ?? Label;
        Volatile.Write(ref _isFinal, true);
        Unlock();
        if (FlowRecorder.IsActive)
        {
            FlowRecorder.RecordStop(this);
        }
    }

    /// <summary>Creates a watcher for <see cref="StopFor"/>. It is not part of any flow and never stops.</summary>
    /// <remarks>Its total may decrease for a moment while a flow is being stopped.</remarks>
    internal static CpuUsageAsyncWatcher MakeSuccessor(FlowLabel? label = null) => new(FlowReadings.Total, isFinal: false)
    {
        _successorOrPieces = label,

        // Its threads are in the flows of the watchers that it succeeds, so a query checks all threads.
        _threadCount = ThreadsOfSuccessor,
    };
}
