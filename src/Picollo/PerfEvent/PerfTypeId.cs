namespace Picollo.PerfEvent;

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
