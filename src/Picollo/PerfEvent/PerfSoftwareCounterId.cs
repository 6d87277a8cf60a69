namespace Picollo.PerfEvent;

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
