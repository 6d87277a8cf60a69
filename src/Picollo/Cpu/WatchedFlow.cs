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

    /// <summary>What a flow has taken up to now: the segments that have ended, and those that threads are in at the moment. The latter
    /// matter even to a flow that does one thing after the other: its continuation may run while the thread that queued it
    /// has not left the flow yet, and waits for a processor.</summary>
    public static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher) => GetTaken(watcher, ThreadSegment.All);

    /// <param name="watcher">The flow's.</param>
    /// <param name="threads">Those that may be in it.</param>
    /// <remarks>
    /// Each thread is measured once, and what it was measured with is right as long as its segment still runs when the sums
    /// have been read. Where it does not, the sums are read again, which have all of it now; what that thread has begun meanwhile is
    /// younger than the question. So there are no more rounds than threads, however fast they switch, and what each is counted with
    /// lies between the question and the answer.
    /// </remarks>
    internal static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher, ReadOnlySpan<ThreadSegment> threads)
    {
        // The calling thread's own cannot change meanwhile, and mostly there is no other.
        CpuSegment own = default;
        List<(ThreadSegment Thread, long Version, CpuSegment Measured)>? others = null;
        foreach (ThreadSegment thread in threads)
        {
            long version = thread.WaitForEvenVersion();
            if (thread.Watchers is not { } watchers || !watchers.Contains(watcher))
            {
                continue;
            }

            CpuSegment measured = thread.Measure(watcher.Detail);
            if (thread == ThreadSegment.OfThread)
            {
                own = measured;
            }
            else
            {
                (others ??= []).Add((thread, version, measured));
            }
        }

        CpuSegment taken;
        do
        {
            taken = own + watcher.Ended;
            Volatile.ReadBarrier();
        }
        while (others?.RemoveAll(static other => other.Thread.WaitForEvenVersion() != other.Version) > 0);

        // Stopped meanwhile, it may have lost segments before they were measured: threads drop what nobody asks for.
        return watcher.Final ?? others?.Aggregate(taken, static (sum, other) => sum + other.Measured) ?? taken;
    }

    private static IEnumerable<CpuUsageAsyncWatcher> RunningOnes() => (Current.Value ?? []).Where(watcher => watcher.IsRunning);

    /// <remarks>An exception from here would end the process (the runtime's rule), so nothing here can throw.</remarks>
    private static void OnSwitch(AsyncLocalValueChangedArgs<CpuUsageAsyncWatcher[]?> change)
    {
        ThreadSegment thread = ThreadSegment.GetOrRegister();
        CpuUsageAsyncWatcher[]? entered = change.CurrentValue;
        CpuUsageDetail enteredDetail = DetailOf(entered);
        CpuUsageDetail detail = (CpuUsageDetail)Math.Max((int)DetailOf(thread.Watchers), (int)enteredDetail);
        if (detail != default && CpuSegment.TryReadThread(detail, out CpuSegment now))
        {
            thread.Change(enteredDetail != default ? entered : null, now, change.ThreadContextChanged);
        }
        else
        {
            thread.Drop();
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
