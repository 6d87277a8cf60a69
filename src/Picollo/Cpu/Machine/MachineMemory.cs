namespace Picollo.Cpu;

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
