namespace Picollo.Cpu;

/// <summary>The number of threads that were running, waiting for a CPU, or (on Linux) waiting uninterruptibly, averaged with exponential
/// decay.</summary>
/// <remarks>The values are not divided by the number of CPUs. Source: /proc/loadavg on Linux, getloadavg(3) on macOS. Immutable.</remarks>
public readonly record struct LoadAverage
{
    internal LoadAverage(double oneMinute, double fiveMinutes, double fifteenMinutes) =>
        (OneMinute, FiveMinutes, FifteenMinutes) = (oneMinute, fiveMinutes, fifteenMinutes);

    /// <summary>The average with a time constant of one minute, at least 0.</summary>
    public double OneMinute { get; }

    /// <summary>The average with a time constant of five minutes, at least 0.</summary>
    public double FiveMinutes { get; }

    /// <summary>The average with a time constant of fifteen minutes, at least 0.</summary>
    public double FifteenMinutes { get; }

    /// <summary>Formats the three numbers as <c>top</c> and <c>uptime</c> do; culture-invariant.</summary>
    /// <returns>A string such as <c>0.65, 0.33, 0.20</c>.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{OneMinute:0.00}, {FiveMinutes:0.00}, {FifteenMinutes:0.00}");
}

/// <summary>The numbers of all, runnable and blocked threads at the time of a sample.</summary>
/// <remarks>Source on Linux: procs_running and procs_blocked of /proc/stat (which count threads despite their names), and the fourth field
/// of /proc/loadavg. Windows reports the running threads and all threads; macOS reports none of these numbers. Immutable.</remarks>
public readonly record struct RunQueueState
{
    internal RunQueueState(int? running, int? blocked, int? total) => (Running, Blocked, Total) = (running, blocked, total);

    /// <summary>The number of threads that are on a CPU or wait for one, including the thread that takes the sample; <see langword="null"/>
    /// if unknown.</summary>
    public int? Running { get; }

    /// <summary>The number of threads that wait for a disk; <see langword="null"/> if unknown.</summary>
    public int? Blocked { get; }

    /// <summary>The number of all threads; <see langword="null"/> if unknown.</summary>
    public int? Total { get; }
}

/// <summary>The fraction of time in which threads were stalled because they waited for a CPU.</summary>
/// <remarks>Source: the pressure stall information of Linux (Documentation/accounting/psi.rst of the kernel). Immutable.</remarks>
public readonly record struct CpuPressure
{
    internal CpuPressure(double average10, double average60, double average300, TimeSpan total) =>
        (Average10, Average60, Average300, Total) = (average10, average60, average300, total);

    /// <summary>The share of the last ten seconds, 0 to 1, with exponential decay and a resolution of 0.0001.</summary>
    public double Average10 { get; }

    /// <summary>The share of the last minute, 0 to 1, with exponential decay and a resolution of 0.0001.</summary>
    public double Average60 { get; }

    /// <summary>The share of the last five minutes, 0 to 1, with exponential decay and a resolution of 0.0001.</summary>
    public double Average300 { get; }

    /// <summary>The stalled time since the system start, with a resolution of a microsecond.</summary>
    public TimeSpan Total { get; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture,
            $"Average10 = {Average10}, Average60 = {Average60}, Average300 = {Average300}, Total = {Total}").Length > 0;
}

/// <summary>The memory of the machine, in bytes (/proc/meminfo, as free(1) and top(1) report it).</summary>
/// <remarks>In a container this is still the memory of the machine, regardless of the cgroup limit. Immutable. Linux only.</remarks>
internal readonly record struct MachineMemory
{
    /// <summary>All memory that the kernel can use.</summary>
    public long TotalBytes { get; init; }

    public long FreeBytes { get; init; }

    /// <summary>The memory available to programs without swapping: free and reclaimable memory. Null before Linux 3.14.</summary>
    public long? AvailableBytes { get; init; }

    /// <summary>Buffers and caches: Buffers + Cached + SReclaimable.</summary>
    public long CacheBytes { get; init; }

    /// <summary>The memory in use by programs and the kernel: total minus available; before Linux 3.14, total minus free and cached. This
    /// is the definition of free(1) and top(1) in procps 4.</summary>
    public long UsedBytes => Math.Max(TotalBytes - (AvailableBytes ?? FreeBytes + CacheBytes), 0);

    public long SwapTotalBytes { get; init; }

    public long SwapFreeBytes { get; init; }
}
