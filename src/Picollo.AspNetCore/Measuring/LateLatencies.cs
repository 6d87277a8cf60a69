using System.Collections.Concurrent;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Adds the states of runs to their rows: at once, or, if the run may have waited for a lock, when the runtime has reported all
/// waits. Sums therefore never decrease. Thread-safe.</summary>
/// <remarks>While no run waits, nothing runs.</remarks>
internal sealed class LateLatencies : IDisposable
{
    /// <summary>The time after which all waits of a run are known. The runtime reports them up to 0.1 s late.</summary>
    public static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(200);

    /// <summary>The maximum number of runs that are not yet added: 20,000 per second. The locks of further runs count as blocked.</summary>
    internal const int MaxWaiting = 4096;

    private readonly ConcurrentQueue<Waiting> _waiting = new();
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private int _count;

    public LateLatencies(TimeProvider time)
    {
        _time = time;
        _timer = time.CreateTimer(
            static self => ((LateLatencies)self!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <param name="row">The row of the run; null if the run is not in the percentiles.</param>
    /// <param name="run">The watcher of the run, which has ended.</param>
    /// <param name="onKnown">Called with the states when they are known; null for nothing.</param>
    /// <returns>The states that are known now.</returns>
    public LatencyBreakdown Add(Row? row, CpuUsageAsyncWatcher run, Action<LatencyBreakdown>? onKnown = null)
    {
        LatencyBreakdown breakdown = run.GetLatencyBreakdown();
        bool mayHaveWaited = breakdown.GetNanoseconds(LatencyState.Lock) is not null
            && breakdown.GetNanoseconds(LatencyState.Blocked) + breakdown.GetNanoseconds(LatencyState.GarbageCollection)
                >= SegmentLatency.LeastWait;
        if (!mayHaveWaited || Volatile.Read(ref _count) >= MaxWaiting)
        {
            row?.Latency?.Add(breakdown);
            onKnown?.Invoke(breakdown);
            return breakdown;
        }

        // Counted before it can be taken out, so that the count is never negative and a run never waits without a timer.
        bool isFirst = Interlocked.Increment(ref _count) == 1;
        _waiting.Enqueue(new(row, run, onKnown, _time.GetTimestamp()));
        if (isFirst)
        {
            _timer.Change(Delay, Timeout.InfiniteTimeSpan);
        }

        return breakdown;
    }

    /// <summary>Adds all runs now, with what is known.</summary>
    public void AddAll() => AddUntil(TimeSpan.Zero);

    public void Dispose()
    {
        _timer.Dispose();
        AddAll();
    }

    private void OnTimer()
    {
        AddUntil(Delay);
        if (Volatile.Read(ref _count) > 0)
        {
            _timer.Change(Delay / 4, Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>Adds the runs that have waited for a time.</summary>
    private void AddUntil(TimeSpan age)
    {
        while (_waiting.TryPeek(out Waiting? next) && _time.GetElapsedTime(next.End) >= age && _waiting.TryDequeue(out next))
        {
            LatencyBreakdown breakdown = next.Run.GetLatencyBreakdown();
            next.Row?.Latency?.Add(breakdown);
            next.OnKnown?.Invoke(breakdown);
            Interlocked.Decrement(ref _count);
        }
    }

    private sealed record Waiting(Row? Row, CpuUsageAsyncWatcher Run, Action<LatencyBreakdown>? OnKnown, long End);
}
