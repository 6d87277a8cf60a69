using Picollo.Cpu;

namespace Picollo.Profiling.Sampling;

/// <summary>Finds the watchers that counted on a thread at a given time, from the switches that a <see cref="FlowRecorder"/> has recorded.
/// Used by one thread, in chronological order.</summary>
internal sealed class FlowTimeline(FlowRecorder recorder) : IDisposable
{
    private readonly Dictionary<int, ThreadState> _threads = [];
    private readonly Dictionary<int, CpuUsageAsyncWatcher[]> _initial = new(recorder.Initial);
    private readonly Dictionary<CpuUsageAsyncWatcher, long> _stopped = [];

    /// <summary>Reads the switches that were recorded since the last call.</summary>
    public void Refresh()
    {
        foreach (FlowLog log in recorder.TakeAddedLogs())
        {
            Add(log);
        }

        foreach (FlowStop stop in recorder.TakeStops())
        {
            Add(stop);
        }
    }

    internal void Add(FlowLog log)
    {
        if (_threads.TryGetValue(log.ThreadId, out ThreadState? state))
        {
            state.Add(log); // the log of another thread, which now has the ID
        }
        else
        {
            // Uses the watchers that were found at the start, because a watcher may have been stopped since then.
            bool wasFound = log.StartTime > recorder.InitialTime;
            _threads.Add(log.ThreadId, new ThreadState(log, wasFound ? _initial.GetValueOrDefault(log.ThreadId, []) : log.Before));
        }
    }

    internal void Add(FlowStop stop) => _stopped[stop.Watcher] = stop.Time;

    /// <summary>Returns the watchers that counted on a thread, the innermost first; null if switches were lost. The time is in ticks of
    /// <see cref="Stopwatch"/>, and at least that of the previous call.</summary>
    public IReadOnlyList<CpuUsageAsyncWatcher>? At(int threadId, long time)
    {
        IReadOnlyList<CpuUsageAsyncWatcher>? watchers =
            _threads.TryGetValue(threadId, out ThreadState? state) ? state.At(time) : _initial.GetValueOrDefault(threadId, []);
        return watchers is null || _stopped.Count == 0 || !watchers.Any(watcher => IsStopped(watcher, time))
            ? watchers
            : [.. watchers.Select(watcher => IsStopped(watcher, time) ? watcher.Counting : watcher).OfType<CpuUsageAsyncWatcher>()];
    }

    /// <summary>Returns the time of the next switch of a thread after those that were read for previous calls; null if there is none up
    /// to <paramref name="until"/>.</summary>
    public long? NextSwitch(int threadId, long until) => _threads.GetValueOrDefault(threadId)?.NextSwitch(until);

    /// <summary>Returns the time of the last switch of a thread that was read; 0 for none.</summary>
    public long LastSwitch(int threadId) => _threads.GetValueOrDefault(threadId)?.LastSwitch ?? 0;

    /// <summary>Reads all switches up to a given time, which releases memory, and removes data that is no longer needed.</summary>
    public void MoveTo(long time)
    {
        foreach (ThreadState state in _threads.Values)
        {
            _ = state.At(time);
        }

        if (_stopped.Count == 0)
        {
            return;
        }

        HashSet<CpuUsageAsyncWatcher> counting =
            [.. _threads.Values.SelectMany(state => state.At(time) ?? []), .. _initial.Values.SelectMany(watchers => watchers)];
        foreach ((CpuUsageAsyncWatcher watcher, long stop) in _stopped.Where(pair => pair.Value < time && !counting.Contains(pair.Key)))
        {
            _stopped.Remove(watcher);
        }
    }

    public void Forget(int threadId, long time)
    {
        _initial.Remove(threadId);
        if (_threads.TryGetValue(threadId, out ThreadState? state) && state.TryEnd(time))
        {
            _threads.Remove(threadId);
        }
    }

    public void Dispose() => recorder.Dispose();

    private bool IsStopped(CpuUsageAsyncWatcher watcher, long time) => _stopped.TryGetValue(watcher, out long stop) && stop <= time;

    /// <summary>The flows of the threads with one ID, one thread after the other.</summary>
    private sealed class ThreadState(FlowLog log, IEnumerable<CpuUsageAsyncWatcher> before)
    {
        private readonly List<FlowLog> _logs = [log];
        private List<CpuUsageAsyncWatcher> _watchers = [.. before];
        private bool _isUnknown;

        public long LastSwitch { get; private set; }

        public void Add(FlowLog log)
        {
            int place = _logs.FindIndex(other => other.StartTime > log.StartTime);
            _logs.Insert(place < 0 ? _logs.Count : place, log);
        }

        public List<CpuUsageAsyncWatcher>? At(long time)
        {
            while (_logs.Count > 1 && _logs[1].StartTime <= time)
            {
                _logs[0].Release();
                _logs.RemoveAt(0);
                (_watchers, _isUnknown) = ([.. _logs[0].Before], false);
            }

            while (_logs[0].TryPeek(out FlowSwitch next) && next.Time <= time)
            {
                if (next.Kind != FlowSwitchKind.Outer)
                {
                    LastSwitch = next.Time;
                    _watchers.Clear();
                    _isUnknown = next.Kind == FlowSwitchKind.Gap;
                }

                if (next.Watcher is { } watcher)
                {
                    _watchers.Add(watcher);
                }

                _logs[0].Remove();
            }

            return _isUnknown ? null : _watchers;
        }

        public long? NextSwitch(long until)
        {
            long? time = _logs[0].TryPeek(out FlowSwitch next) ? next.Time : _logs.Count > 1 ? _logs[1].StartTime : null;
            return time <= until ? time : null;
        }

        public bool TryEnd(long time)
        {
            _ = At(time);
            bool isLast = _logs.Count == 1;
            if (isLast)
            {
                _logs[0].Release();
            }

            return isLast;
        }
    }
}
