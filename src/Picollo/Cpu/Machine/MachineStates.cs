using System.Globalization;

namespace Picollo.Cpu;

/// <summary>
/// How many threads were running, waiting for a CPU, or (on Linux) waiting uninterruptibly, averaged with exponential decay.
/// </summary>
/// <param name="OneMinute">With a time constant of one minute.</param>
/// <param name="FiveMinutes">With a time constant of five minutes.</param>
/// <param name="FifteenMinutes">With a time constant of fifteen minutes.</param>
/// <remarks>Not divided by the number of CPUs. Source: /proc/loadavg on Linux, getloadavg(3) on macOS.</remarks>
public readonly record struct LoadAverage(double OneMinute, double FiveMinutes, double FifteenMinutes)
{
    /// <summary>The three numbers as <c>top</c> and <c>uptime</c> print them; culture-invariant.</summary>
    /// <returns>For example <c>0.65, 0.33, 0.20</c>.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{OneMinute:0.00}, {FiveMinutes:0.00}, {FifteenMinutes:0.00}");
}

/// <summary>How many threads there are, and how many want a CPU, at the moment of a sample.</summary>
/// <param name="Running">Threads on a CPU or waiting for one, the one that reads this included; null where not known.</param>
/// <param name="Blocked">Threads that wait for a disk; null where not known.</param>
/// <param name="Total">All threads; null where not known.</param>
/// <remarks>Source on Linux: procs_running and procs_blocked of /proc/stat (threads, for all their names say), and the fourth
/// field of /proc/loadavg. Windows tells running and all; macOS nothing of the kind.</remarks>
public readonly record struct RunQueueState(int? Running, int? Blocked, int? Total);

/// <summary>Linux's pressure stall information for the CPU (Documentation/accounting/psi.rst of the kernel).</summary>
/// <param name="Some">The time in which at least one thread waited for a CPU.</param>
/// <param name="Full">The time in which all threads that were not idle waited. For the machine as a whole that cannot be, and
/// the kernel reports zeros; null on kernels before 5.13, which do not report it.</param>
public readonly record struct CpuPressure(PressureStall Some, PressureStall? Full);

/// <summary>How much of the time threads were stalled.</summary>
/// <param name="Average10">The share of the last ten seconds, 0 to 1, decaying exponentially, to 0.0001.</param>
/// <param name="Average60">The same of the last minute.</param>
/// <param name="Average300">The same of the last five minutes.</param>
/// <param name="Total">The time stalled since the system was started, to a microsecond.</param>
public readonly record struct PressureStall(double Average10, double Average60, double Average300, TimeSpan Total);

/// <summary>The machine's memory, in bytes (/proc/meminfo, as free(1) and top(1) have it).</summary>
/// <remarks>In a container this is the machine's still, whatever the limit of its cgroup. Immutable. Linux.</remarks>
public readonly record struct MachineMemory
{
    /// <summary>All that the kernel has to give.</summary>
    public long TotalBytes { get; internal init; }

    /// <summary>What nobody uses.</summary>
    public long FreeBytes { get; internal init; }

    /// <summary>What programs could have without swapping: free, and what the kernel would give back. Null before Linux 3.14.</summary>
    public long? AvailableBytes { get; internal init; }

    /// <summary>Buffers and caches: Buffers + Cached + SReclaimable.</summary>
    public long CacheBytes { get; internal init; }

    /// <summary>What programs and the kernel hold: the total less what is available; before Linux 3.14, less what is free and
    /// cached. As free(1) and top(1) of procps 4 have it.</summary>
    public long UsedBytes => Math.Max(TotalBytes - (AvailableBytes ?? FreeBytes + CacheBytes), 0);

    /// <summary>Swap space.</summary>
    public long SwapTotalBytes { get; internal init; }

    /// <summary>What of it nobody uses.</summary>
    public long SwapFreeBytes { get; internal init; }
}
