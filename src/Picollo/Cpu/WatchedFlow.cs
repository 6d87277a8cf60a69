namespace Picollo.Cpu;

/// <summary>
/// Which watchers the current flow has, and what its thread's clocks stood at when it took the flow up. The runtime calls
/// <see cref="OnSwitch"/> on each thread that takes up or leaves a flow that is watched.
/// </summary>
/// <remarks>
/// The flow's value is an array that is never written after it was made, so children may go on with it while the parent adds and removes
/// watchers. A stopped watcher may stay in the arrays of flows other than the one that stopped it; it is passed over, and
/// falls out when a watcher is next added. An array with stopped watchers only costs no read.
/// </remarks>
internal static class WatchedFlow
{
    private static readonly AsyncLocal<CpuUsageAsyncWatcher[]?> Current = new(OnSwitch);

    // The array whose segment runs on this thread, and its start. Null where none runs: then the start means nothing.
    [ThreadStatic]
    private static CpuUsageAsyncWatcher[]? _running;

    [ThreadStatic]
    private static CpuSegment _start;

    /// <summary>How many watchers the current flow carries, stopped ones too.</summary>
    public static int Count => Current.Value?.Length ?? 0;

    public static void Enter(CpuUsageAsyncWatcher watcher) => Current.Value = [.. RunningOnes(), watcher];

    public static void Leave(CpuUsageAsyncWatcher watcher)
    {
        if (Current.Value is { } watchers && watchers.Contains(watcher))
        {
            CpuUsageAsyncWatcher[] others = [.. RunningOnes().Where(other => other != watcher)];
            Current.Value = others.Length > 0 ? others : null;
        }
    }

    /// <summary>The segment that the calling thread is in, if it belongs to the watcher's flow.</summary>
    public static bool TryGetRunningSegment(CpuUsageAsyncWatcher watcher, out CpuSegment segment)
    {
        segment = default;
        if (_running is not { } running || !running.Contains(watcher) || !CpuSegment.TryReadThread(watcher.Detail, out CpuSegment now))
        {
            return false;
        }

        segment = now - _start;
        return true;
    }

    private static IEnumerable<CpuUsageAsyncWatcher> RunningOnes() => (Current.Value ?? []).Where(watcher => watcher.IsRunning);

    /// <remarks>An exception from here would end the process (the runtime's rule), so nothing here can throw.</remarks>
    private static void OnSwitch(AsyncLocalValueChangedArgs<CpuUsageAsyncWatcher[]?> change)
    {
        CpuUsageAsyncWatcher[]? left = _running;
        CpuUsageAsyncWatcher[]? entered = change.CurrentValue;
        CpuUsageDetail enteredDetail = DetailOf(entered);
        CpuUsageDetail detail = (CpuUsageDetail)Math.Max((int)DetailOf(left), (int)enteredDetail);
        _running = null;
        if (detail == default || !CpuSegment.TryReadThread(detail, out CpuSegment now))
        {
            return;
        }

        if (left is not null)
        {
            CpuSegment segment = now - _start;
            foreach (CpuUsageAsyncWatcher watcher in left)
            {
                watcher.Add(segment, change.ThreadContextChanged);
            }
        }

        if (enteredDetail != default)
        {
            _running = entered;
            _start = now;
        }
    }

    /// <summary>The most that a running watcher among them asks for; default where none runs.</summary>
    private static CpuUsageDetail DetailOf(CpuUsageAsyncWatcher[]? watchers)
    {
        CpuUsageDetail most = default;
        foreach (CpuUsageAsyncWatcher watcher in watchers ?? [])
        {
            if (watcher.IsRunning && watcher.Detail > most)
            {
                most = watcher.Detail;
            }
        }

        return most;
    }
}
