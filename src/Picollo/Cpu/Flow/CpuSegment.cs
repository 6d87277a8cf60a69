namespace Picollo.Cpu;

/// <summary>The clocks and counts that are read at each switch, for the watchers of a flow.</summary>
[Flags]
internal enum FlowReadings
{
    /// <summary>The CPU time.</summary>
    Total = 1,

    /// <summary>User and kernel time separately.</summary>
    Split = 2,

    /// <summary>The bytes that the thread has allocated.</summary>
    Allocations = 4,

    /// <summary>The wall time, for the list of switches.</summary>
    Switches = 8,

    /// <summary>The wall time, the pauses of the garbage collector and, if it is available, the run queue, for the latency
    /// breakdown.</summary>
    Latency = 16,

    /// <summary>What is read for a segment as a whole, so that each watcher of the segment needs its start.</summary>
    OfSegments = Switches | Latency,
}

/// <summary>The CPU clocks and allocated bytes of a thread at a moment, or a difference of two. The split and the bytes are 0 if no watcher
/// needs them. For a running segment of another thread, the bytes are 0 until it ends.</summary>
internal readonly record struct CpuSegment(long TotalNanoseconds, CpuUsage Split, long AllocatedBytes = 0)
{
    public static CpuSegment operator -(in CpuSegment end, in CpuSegment start) =>
        new(end.TotalNanoseconds - start.TotalNanoseconds, end.Split - start.Split, end.AllocatedBytes - start.AllocatedBytes);

    public static CpuSegment operator +(in CpuSegment left, in CpuSegment right) =>
        new(
            left.TotalNanoseconds + right.TotalNanoseconds, left.Split + right.Split, left.AllocatedBytes + right.AllocatedBytes);

    public static bool TryReadThread(FlowReadings readings, out CpuSegment now)
    {
        CpuUsage split = default;
        bool known = (readings & FlowReadings.Split) != 0
            ? CpuTimes.Current.TryGetThread(out long total, out split)
            : CpuTimes.Current.TryGetThread(out total);
        long allocated = (readings & FlowReadings.Allocations) != 0 ? GC.GetAllocatedBytesForCurrentThread() : 0;
        now = new CpuSegment(total, split, allocated);
        return known;
    }
}
