namespace Picollo.PerfEvent;

/// <summary>The hardware events that the kernel knows by one name on every CPU, as far as the CPU has them.</summary>
/// <remarks>The values are the kernel's (<c>include/uapi/linux/perf_event.h</c>). This is a list of presets: any other event is asked
/// for with <see cref="PerfEventCounterSessionFactory.WithRawCounter(uint, ulong, string, ulong, ulong)"/> or
/// <see cref="PerfEventCounterSessionFactory.WithNamedCounter"/>.</remarks>
public enum PerfHardwareCounterId
{
    /// <summary>Core clock cycles; the rate varies with the core's frequency. <c>PERF_COUNT_HW_CPU_CYCLES</c>.</summary>
    CpuCycles = 0,

    /// <summary>Instructions retired. <c>PERF_COUNT_HW_INSTRUCTIONS</c>.</summary>
    Instructions = 1,

    /// <summary>Accesses to the last-level cache, as a rule. <c>PERF_COUNT_HW_CACHE_REFERENCES</c>.</summary>
    CacheReferences = 2,

    /// <summary>Misses of the last-level cache, as a rule. <c>PERF_COUNT_HW_CACHE_MISSES</c>.</summary>
    CacheMisses = 3,

    /// <summary>Branches retired. <c>PERF_COUNT_HW_BRANCH_INSTRUCTIONS</c>.</summary>
    BranchInstructions = 4,

    /// <summary>Branches that were predicted wrongly. <c>PERF_COUNT_HW_BRANCH_MISSES</c>.</summary>
    BranchMisses = 5,

    /// <summary>Cycles of the bus. <c>PERF_COUNT_HW_BUS_CYCLES</c>.</summary>
    BusCycles = 6,

    /// <summary>Cycles in which no instruction could be issued because none was there.
    /// <c>PERF_COUNT_HW_STALLED_CYCLES_FRONTEND</c>.</summary>
    StalledCyclesFrontend = 7,

    /// <summary>Cycles in which no instruction could be issued for want of a resource.
    /// <c>PERF_COUNT_HW_STALLED_CYCLES_BACKEND</c>.</summary>
    StalledCyclesBackend = 8,

    /// <summary>Cycles at a constant rate, whatever the core's frequency. <c>PERF_COUNT_HW_REF_CPU_CYCLES</c>.</summary>
    RefCpuCycles = 9,
}
