namespace Picollo.Cpu;

/// <content>The segment of a thread that has ended without a report of the runtime.</content>
internal sealed partial class ThreadSegment
{
    /// <summary>The time of the segment until its last measurement. All of it counts as user time.</summary>
    private CpuSegment Known
    {
        get
        {
            long total = Math.Max(Volatile.Read(ref _measured) - _start.TotalNanoseconds, 0);
            return new CpuSegment(total, new CpuUsage(total, 0));
        }
    }

    /// <summary>Ends the segment of a thread that has ended, if its end was not reported: the time since its last measurement is
    /// lost. Releases its resources.</summary>
    internal void EndWithOwner()
    {
        // A second reader waits until the first one has added the time: it may then remove the segment, or stop a watcher.
        long version;
        do
        {
            version = WaitForEvenVersion();
            if (_isRemoved)
            {
                return;
            }
        }
        while (Interlocked.CompareExchange(ref _version, version + 1, version) != version);

        _runQueue?.Close();
        if (Innermost is not null)
        {
            AddToWatchers(Known, byThreadSwitch: true, wallTicks: 0);
            _watched += Known.TotalNanoseconds;
            for (CpuUsageAsyncWatcher? watcher = HasLatency ? Innermost : null; watcher is not null; watcher = watcher.Outer)
            {
                watcher.Counting?.LoseLatency(_startMoment.Timestamp);
            }

            SetInnermost(null);
        }

        _isRemoved = true;
        EndChange();
    }

    /// <summary>Ends the segments of all threads that have ended, if their ends were not reported.</summary>
    public static void EndWithOwners()
    {
        foreach (ThreadSegment segment in All)
        {
            if (!segment._owner.IsAlive)
            {
                segment.EndWithOwner();
            }
        }
    }
}
