namespace Picollo.PerfEvent;

/// <summary>Events that the kernel itself counts: there on every machine, also without a PMU.</summary>
/// <remarks>The values are the kernel's (<c>include/uapi/linux/perf_event.h</c>, <c>PERF_COUNT_SW_*</c>).</remarks>
public enum PerfSoftwareCounterId
{
    /// <summary>Nanoseconds by the kernel's clock: of a thread, while it runs; of a CPU, all that pass, idle or not.</summary>
    CpuClock = 0,

    /// <summary>CPU time in nanoseconds, user and kernel; of a CPU, all time that passes, idle or not.</summary>
    TaskClock = 1,

    /// <summary>Page faults, minor and major.</summary>
    PageFaults = 2,

    /// <summary>Context switches. They happen in the kernel, and are counted whatever
    /// <see cref="PerfEventCounterSessionFactory.WithKernel"/> says: needs kernel.perf_event_paranoid 1 or CAP_PERFMON.</summary>
    ContextSwitches = 3,

    /// <summary>Moves to another CPU. Counted and permitted as <see cref="ContextSwitches"/>.</summary>
    CpuMigrations = 4,

    /// <summary>Page faults that needed no disk.</summary>
    MinorPageFaults = 5,

    /// <summary>Page faults that needed a disk.</summary>
    MajorPageFaults = 6,

    /// <summary>Unaligned accesses that the kernel had to mend; none on x64.</summary>
    AlignmentFaults = 7,

    /// <summary>Instructions that the kernel had to emulate.</summary>
    EmulationFaults = 8,

    /// <summary>Counts nothing; a page with the time is all it has.</summary>
    Dummy = 9,

    /// <summary>Output of BPF programs. Counted and permitted as <see cref="ContextSwitches"/>.</summary>
    BpfOutput = 10,

    /// <summary>Switches to a thread of another cgroup. Counted and permitted as <see cref="ContextSwitches"/>. Linux 5.13.</summary>
    CgroupSwitches = 11,
}
