using System.Diagnostics;

namespace Picollo.Cpu;

public sealed partial class CpuUsageAsyncWatcher
{
    /// <summary>The data that a span stores in its watcher; null for watchers that do not belong to a span, and after the stop.</summary>
    internal object? Companion =>
        _successorOrPieces is FlowPiece or FlowLabel or CpuUsageAsyncWatcher or OpenSegments ? null : _successorOrPieces;

    /// <summary>Starts a watcher for a span that has just become the current one. <see cref="IsSupported"/> must be true.</summary>
    internal static CpuUsageAsyncWatcher StartSpan(object companion)
    {
        var watcher = new CpuUsageAsyncWatcher(FlowReadings.Total | FlowReadings.Split, isFinal: false)
        {
            _startOrLength = Stopwatch.GetTimestamp(),
            _successorOrPieces = companion,
        };
        WatchedFlow.EnterSpan(watcher);
        return watcher;
    }

    /// <summary>Stops the watcher of a span.</summary>
    /// <returns>The CPU time of the span.</returns>
    internal CpuSegment StopSpan()
    {
        Stop();
        return Final ?? WatchedFlow.GetCpuTime(this); // not final yet if another thread is stopping it
    }

    /// <summary>Replaces the data of the span, unless it has changed in the meantime or the span was stopped.</summary>
    internal void ReplaceCompanion(object companion, object before) =>
        Interlocked.CompareExchange(ref _successorOrPieces, companion, before);

    /// <summary>Creates a watcher that counts for this one in a flow that does not contain this one.</summary>
    internal CpuUsageAsyncWatcher MakeRepresentative(CpuUsageAsyncWatcher? outer)
    {
        AddThread(); // never removed, as for a successor: a query checks all threads
        return new CpuUsageAsyncWatcher(Readings, isFinal: true) { _successorOrPieces = this, _outer = outer };
    }

    /// <summary>Returns the CPU time so far, or until <see cref="Stop"/>, in seconds; culture-invariant.</summary>
    /// <returns>A number such as <c>0.012345</c>.</returns>
    public override string ToString() => (GetTotalNanoseconds() / 1e9).ToString("0.######", CultureInfo.InvariantCulture);
}
