using System.Runtime.InteropServices;

namespace Picollo.PerfEvent;

/// <summary>struct perf_event_attr (include/uapi/linux/perf_event.h) up to <c>config2</c>, PERF_ATTR_SIZE_VER1: what every kernel since
/// 2.6.33 takes, and nothing that an older one would refuse.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PerfEventAttributes
{
    public const uint Version1Size = 72;

    public PerfTypeId Type;
    public uint Size;
    public ulong Config;
    public ulong SamplePeriod;
    public ulong SampleType;
    public PerfReadFormat ReadFormat;
    public PerfEventFlags Flags;
    public uint WakeupEvents;
    public uint BreakpointType;
    public ulong Config1;
    public ulong Config2;

    public PerfEventAttributes(in PerfEventDefinition definition, PerfEventFlags flags)
    {
        Type = definition.Type;
        Size = Version1Size;
        Config = definition.Config;
        Config1 = definition.Config1;
        Config2 = definition.Config2;
        Flags = flags;
    }
}

/// <summary>The bit field of perf_event_attr, as far as counting needs it.</summary>
[Flags]
internal enum PerfEventFlags : ulong
{
    None = 0,
    Disabled = 1 << 0,
    Inherit = 1 << 1,
    Pinned = 1 << 2,
    ExcludeKernel = 1 << 5,
    ExcludeHypervisor = 1 << 6,
    EnableOnExec = 1 << 12,
}

/// <summary>What read(2) gives.</summary>
[Flags]
internal enum PerfReadFormat : ulong
{
    TotalTimeEnabled = 1,
    TotalTimeRunning = 2,
    Group = 8,
}
