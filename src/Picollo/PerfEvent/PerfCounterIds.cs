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

/// <summary>Events that the kernel itself counts. They are available on every machine, even without a PMU.</summary>
/// <remarks>The values are those of the kernel (<c>include/uapi/linux/perf_event.h</c>, <c>PERF_COUNT_SW_*</c>).</remarks>
public enum PerfSoftwareCounterId
{
    /// <summary>Nanoseconds of the kernel's clock: for a thread, while it runs; for a CPU, all elapsed time, idle or not.</summary>
    CpuClock = 0,

    /// <summary>CPU time in nanoseconds, user and kernel; for a CPU, all elapsed time, idle or not.</summary>
    TaskClock = 1,

    /// <summary>Page faults, minor and major.</summary>
    PageFaults = 2,

    /// <summary>Context switches. They happen in the kernel, and count regardless of
    /// <see cref="PerfEventCounterSessionFactory.WithKernel"/>. Requires kernel.perf_event_paranoid 1 or CAP_PERFMON.</summary>
    ContextSwitches = 3,

    /// <summary>Migrations to another CPU. Counted and permitted like <see cref="ContextSwitches"/>.</summary>
    CpuMigrations = 4,

    /// <summary>Page faults that needed no disk I/O.</summary>
    MinorPageFaults = 5,

    /// <summary>Page faults that needed disk I/O.</summary>
    MajorPageFaults = 6,

    /// <summary>Unaligned accesses that the kernel had to fix; none on x64.</summary>
    AlignmentFaults = 7,

    /// <summary>Instructions that the kernel had to emulate.</summary>
    EmulationFaults = 8,

    /// <summary>A counter without events, used for the time in its page.</summary>
    Dummy = 9,

    /// <summary>Output of BPF programs. Counted and permitted like <see cref="ContextSwitches"/>.</summary>
    BpfOutput = 10,

    /// <summary>Switches to a thread of another cgroup. Counted and permitted like <see cref="ContextSwitches"/>. Requires Linux
    /// 5.13.</summary>
    CgroupSwitches = 11,
}

/// <summary>The generic cache events of the kernel: each consists of a cache, an operation and a result. No CPU supports all of
/// them.</summary>
/// <remarks>The values are those of <c>config</c> for <c>PERF_TYPE_HW_CACHE</c> (perf_event_open(2)):
/// cache, operation &lt;&lt; 8, result &lt;&lt; 16.</remarks>
public enum PerfCacheCounterId
{
    /// <summary>Reads of the first-level data cache.</summary>
    L1DReadAccess = 0 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the first-level data cache.</summary>
    L1DReadMiss = 0 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the first-level data cache.</summary>
    L1DWriteAccess = 0 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the first-level data cache.</summary>
    L1DWriteMiss = 0 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the first-level data cache.</summary>
    L1DPrefetchAccess = 0 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the first-level data cache.</summary>
    L1DPrefetchMiss = 0 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the first-level instruction cache.</summary>
    L1IReadAccess = 1 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the first-level instruction cache.</summary>
    L1IReadMiss = 1 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the first-level instruction cache.</summary>
    L1IWriteAccess = 1 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the first-level instruction cache.</summary>
    L1IWriteMiss = 1 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the first-level instruction cache.</summary>
    L1IPrefetchAccess = 1 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the first-level instruction cache.</summary>
    L1IPrefetchMiss = 1 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the last-level cache.</summary>
    LLReadAccess = 2 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the last-level cache.</summary>
    LLReadMiss = 2 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the last-level cache.</summary>
    LLWriteAccess = 2 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the last-level cache.</summary>
    LLWriteMiss = 2 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the last-level cache.</summary>
    LLPrefetchAccess = 2 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the last-level cache.</summary>
    LLPrefetchMiss = 2 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the data TLB.</summary>
    DTlbReadAccess = 3 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the data TLB.</summary>
    DTlbReadMiss = 3 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the data TLB.</summary>
    DTlbWriteAccess = 3 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the data TLB.</summary>
    DTlbWriteMiss = 3 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the data TLB.</summary>
    DTlbPrefetchAccess = 3 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the data TLB.</summary>
    DTlbPrefetchMiss = 3 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the instruction TLB.</summary>
    ITlbReadAccess = 4 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the instruction TLB.</summary>
    ITlbReadMiss = 4 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the instruction TLB.</summary>
    ITlbWriteAccess = 4 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the instruction TLB.</summary>
    ITlbWriteMiss = 4 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the instruction TLB.</summary>
    ITlbPrefetchAccess = 4 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the instruction TLB.</summary>
    ITlbPrefetchMiss = 4 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the branch prediction unit.</summary>
    BpuReadAccess = 5 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the branch prediction unit.</summary>
    BpuReadMiss = 5 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the branch prediction unit.</summary>
    BpuWriteAccess = 5 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the branch prediction unit.</summary>
    BpuWriteMiss = 5 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the branch prediction unit.</summary>
    BpuPrefetchAccess = 5 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the branch prediction unit.</summary>
    BpuPrefetchMiss = 5 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the memory of the local node.</summary>
    NodeReadAccess = 6 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the memory of the local node.</summary>
    NodeReadMiss = 6 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the memory of the local node.</summary>
    NodeWriteAccess = 6 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the memory of the local node.</summary>
    NodeWriteMiss = 6 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the memory of the local node.</summary>
    NodePrefetchAccess = 6 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the memory of the local node.</summary>
    NodePrefetchMiss = 6 | (2 << 8) | (1 << 16),
}

/// <summary>The kinds of events that every kernel has (perf_event_open(2), <c>perf_event_attr.type</c>). The kernel assigns numbers from 6
/// to other PMUs when it finds them.</summary>
public enum PerfTypeId : uint
{
    /// <summary>A generic event of the CPU: <see cref="PerfHardwareCounterId"/>.</summary>
    Hardware = 0,

    /// <summary>An event that the kernel counts: <see cref="PerfSoftwareCounterId"/>.</summary>
    Software = 1,

    /// <summary>A tracepoint of the kernel.</summary>
    Tracepoint = 2,

    /// <summary>A generic event of a cache: <see cref="PerfCacheCounterId"/>.</summary>
    HardwareCache = 3,

    /// <summary>A CPU-specific event by its event code.</summary>
    Raw = 4,

    /// <summary>An execution or an access at an address.</summary>
    Breakpoint = 5,
}
