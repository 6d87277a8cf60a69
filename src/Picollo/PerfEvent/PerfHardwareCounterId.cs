namespace Picollo.PerfEvent;

/// <summary>The hardware events that have one name in the kernel for all CPUs. A CPU may not support all of them.</summary>
/// <remarks>The values are those of the kernel (<c>include/uapi/linux/perf_event.h</c>). This is a list of presets. For any other event,
/// use <see cref="PerfEventCounterSessionFactory.WithRawCounter(uint, ulong, string, ulong, ulong)"/> or
/// <see cref="PerfEventCounterSessionFactory.WithNamedCounter"/>.</remarks>
public enum PerfHardwareCounterId
{
    /// <summary>Core clock cycles; the rate varies with the frequency of the core. <c>PERF_COUNT_HW_CPU_CYCLES</c>.</summary>
    CpuCycles = 0,

    /// <summary>Retired instructions. <c>PERF_COUNT_HW_INSTRUCTIONS</c>.</summary>
    Instructions = 1,

    /// <summary>Cache accesses, usually of the last-level cache. <c>PERF_COUNT_HW_CACHE_REFERENCES</c>.</summary>
    CacheReferences = 2,

    /// <summary>Cache misses, usually of the last-level cache. <c>PERF_COUNT_HW_CACHE_MISSES</c>.</summary>
    CacheMisses = 3,

    /// <summary>Retired branches. <c>PERF_COUNT_HW_BRANCH_INSTRUCTIONS</c>.</summary>
    BranchInstructions = 4,

    /// <summary>Mispredicted branches. <c>PERF_COUNT_HW_BRANCH_MISSES</c>.</summary>
    BranchMisses = 5,

    /// <summary>Bus cycles. <c>PERF_COUNT_HW_BUS_CYCLES</c>.</summary>
    BusCycles = 6,

    /// <summary>Cycles in which no instruction was issued because none was available.
    /// <c>PERF_COUNT_HW_STALLED_CYCLES_FRONTEND</c>.</summary>
    StalledCyclesFrontend = 7,

    /// <summary>Cycles in which no instruction was issued because a resource was missing.
    /// <c>PERF_COUNT_HW_STALLED_CYCLES_BACKEND</c>.</summary>
    StalledCyclesBackend = 8,

    /// <summary>Cycles at a constant rate, independent of the core's frequency. <c>PERF_COUNT_HW_REF_CPU_CYCLES</c>.</summary>
    RefCpuCycles = 9,
}
