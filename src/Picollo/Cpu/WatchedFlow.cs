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
    /// <remarks>
    /// A thread's part is right if its segment was still the same when the sums were read. Where it was not, all is read again, but for the
    /// segment that this thread has begun meanwhile: it is younger than the question. So there are no more rounds than
    /// threads, however fast they switch, and what each is counted with lies between the question and the answer. (But for what a
    /// thread runs between its look at its clock and its note of it: nanoseconds, and an interrupt now and then. The
    /// clock is not read under the note, so that nobody waits for a thread that loses its processor there.)
    /// </remarks>
    public static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher) => GetTaken(watcher, ThreadSegment.All);

    /// <param name="watcher">The flow's.</param>
    /// <param name="threads">Those that may be in it.</param>
    internal static CpuSegment GetTaken(CpuUsageAsyncWatcher watcher, ReadOnlySpan<ThreadSegment> threads)
    {
        // The calling thread's own cannot change meanwhile, and mostly there is no other.
        List<(ThreadSegment Thread, long Version)>? others = null;
        List<ThreadSegment>? changed = null;
        while (true)
        {
            CpuSegment taken = default;
            others?.Clear();
            foreach (ThreadSegment thread in threads)
            {
                long version = thread.WaitForEvenVersion();
                if (thread.Watchers is not { } watchers || !watchers.Contains(watcher) || changed?.Contains(thread) == true)
                {
                    continue;
                }

                taken += thread.Measure(watcher.Detail);
                if (thread != ThreadSegment.OfThread)
                {
                    (others ??= []).Add((thread, version));
                }
            }

            // The sums last: what ended before its thread was looked at is in them.
            taken += watcher.Ended;
            Volatile.ReadBarrier();
            others?.RemoveAll(other => other.Thread.Version == other.Version);
            if (others is null or [])
            {
                return taken;
            }

            (changed ??= []).AddRange(others.Select(other => other.Thread));
        }
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
