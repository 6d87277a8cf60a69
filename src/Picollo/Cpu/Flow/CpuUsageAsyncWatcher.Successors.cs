using System.Diagnostics;

namespace Picollo.Cpu;

/// <content>What a flow still runs when its watcher is stopped, and what the flow is for.</content>
public sealed partial class CpuUsageAsyncWatcher
{
    private const int ThreadsOfSuccessor = int.MaxValue / 2;

    /// <summary>Whether segments of its flow are measured: while it runs, and later for its successor.</summary>
    internal bool IsCounting => IsRunning || Successor is not null;

    /// <summary>The watcher that the flow's segments count for: this one, once it is stopped its successor, or none.</summary>
    internal CpuUsageAsyncWatcher? Counting => IsRunning ? this : Successor;

    /// <summary>Whether it is one of <see cref="MakeSuccessor"/>, which runs forever.</summary>
    internal bool IsSuccessor => ThreadCount >= ThreadsOfSuccessor;

    /// <summary>What the flow is for, also after <see cref="StopFor"/>; null if that is not known. Any thread may read it.</summary>
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

    // One that is stopped itself (a span's) counts nothing any more.
    private CpuUsageAsyncWatcher? Successor => _successorOrPieces is CpuUsageAsyncWatcher { IsRunning: true } successor ? successor : null;

    /// <summary>Does what <see cref="Stop"/> does, and counts for another watcher what the flow still runs, on all threads and as long as
    /// it lives.</summary>
    /// <param name="successor">One that <see cref="MakeSuccessor"/> has made, shared by any number of flows; null for none.</param>
    internal void StopFor(CpuUsageAsyncWatcher? successor)
    {
        if (Interlocked.Exchange(ref _stopRequested, 1) != 0)
        {
            return;
        }

        WatchedFlow.Leave(this);
        long end = Stopwatch.GetTimestamp();
        CpuSegment taken = WatchedFlow.GetTaken(this, out FlowPiece? pieces);

        // Replaces the sums: a segment that has ended on another thread since is already in them, or younger than the stop.
        // A segment that still runs is added to the successor as a whole when it ends, so that what this watcher has of it is taken off
        // there first. What has ended since the question is thereby added.
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

    /// <summary>One that is in no flow itself, and runs forever; for <see cref="StopFor"/>.</summary>
    /// <remarks>Its total may be lower for a moment while a flow is stopped.</remarks>
    internal static CpuUsageAsyncWatcher MakeSuccessor(FlowLabel? label = null) => new(FlowReadings.Total, isFinal: false)
    {
        _successorOrPieces = label,

        // Threads are in the flows of those it took over from: a question looks at all.
        _threadCount = ThreadsOfSuccessor,
    };
}
