using System.Diagnostics;

namespace Picollo.Cpu;

public sealed partial class CpuUsageAsyncWatcher
{
    /// <summary>What a span keeps with its watcher; null for the watchers of others, and once it is stopped.</summary>
    internal object? Companion => _successorOrPieces is FlowPiece or FlowLabel or CpuUsageAsyncWatcher ? null : _successorOrPieces;

    /// <summary>Starts to watch for a span that has just become the current one. <see cref="IsSupported"/> must be true.</summary>
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

    /// <summary>Stops for a span.</summary>
    /// <returns>What was taken.</returns>
    internal CpuSegment StopSpan()
    {
        Stop();
        return Final ?? WatchedFlow.GetTaken(this); // not final yet if another thread stops it, too
    }

    /// <summary>Replaces what the span keeps, unless something else has, or the span was stopped.</summary>
    internal void ReplaceCompanion(object companion, object before) =>
        Interlocked.CompareExchange(ref _successorOrPieces, companion, before);

    /// <summary>One that counts for this one, in a flow of which this one is not a part itself.</summary>
    internal CpuUsageAsyncWatcher MakeRepresentative(CpuUsageAsyncWatcher? outer)
    {
        AddThread(); // forever, as for a successor: a question looks at all threads
        return new CpuUsageAsyncWatcher(Readings, isFinal: true) { _successorOrPieces = this, _outer = outer };
    }

    /// <summary>The CPU time so far, or until <see cref="Stop"/>, in seconds; culture-invariant.</summary>
    /// <returns>For example <c>0.012345</c>.</returns>
    public override string ToString() => (GetTotalNanoseconds() / 1e9).ToString("0.######", CultureInfo.InvariantCulture);
}
