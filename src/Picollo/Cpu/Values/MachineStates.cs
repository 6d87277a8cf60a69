namespace Picollo.Cpu;

/// <summary>The load averages; <see cref="SystemCpu.LoadAverage1Minute"/> documents them.</summary>
internal readonly record struct LoadAverage(double OneMinute, double FiveMinutes, double FifteenMinutes)
{
    /// <summary>Formats the three numbers as <c>top</c> and <c>uptime</c> do: <c>0.65, 0.33, 0.20</c>.</summary>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{OneMinute:0.00}, {FiveMinutes:0.00}, {FifteenMinutes:0.00}");
}

/// <summary>The numbers of threads; <see cref="SystemCpu.RunnableThreadCount"/> and its siblings document them.</summary>
internal readonly record struct RunQueueState(int? Running, int? Blocked, int? Total);

/// <summary>The fraction of time in which threads were stalled because they waited for a CPU.</summary>
/// <remarks>Source: the pressure stall information of Linux (Documentation/accounting/psi.rst of the kernel). Immutable.</remarks>
public readonly record struct CpuPressure
{
    internal CpuPressure(double average10Seconds, double average60Seconds, double average300Seconds, TimeSpan total) =>
        (Average10Seconds, Average60Seconds, Average300Seconds, Total) = (average10Seconds, average60Seconds, average300Seconds, total);

    /// <summary>The share of the last ten seconds, 0 to 1, with exponential decay and a resolution of 0.0001.</summary>
    public double Average10Seconds { get; }

    /// <summary>The share of the last minute, 0 to 1, with exponential decay and a resolution of 0.0001.</summary>
    public double Average60Seconds { get; }

    /// <summary>The share of the last five minutes, 0 to 1, with exponential decay and a resolution of 0.0001.</summary>
    public double Average300Seconds { get; }

    /// <summary>The stalled time since the system start, with a resolution of a microsecond.</summary>
    public TimeSpan Total { get; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture,
            $"Average10Seconds = {Average10Seconds}, Average60Seconds = {Average60Seconds}, Average300Seconds = {Average300Seconds}"
            + $", Total = {Total}").Length > 0;
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
