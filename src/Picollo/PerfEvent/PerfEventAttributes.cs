namespace Picollo.PerfEvent;

/// <summary>struct perf_event_attr (include/uapi/linux/perf_event.h). Counting uses the fields up to <c>config2</c> (PERF_ATTR_SIZE_VER1),
/// which every kernel since 2.6.33 accepts. Sampling uses the whole structure (PERF_ATTR_SIZE_VER5), which requires Linux 4.1.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PerfEventAttributes
{
    public const uint Version1Size = 72;
    public const uint Version5Size = 112;

    public PerfTypeId Type;
    public uint Size;
    public ulong Config;

    /// <summary>The number of samples per second, with <see cref="PerfEventFlags.Frequency"/>.</summary>
    public ulong SamplePeriod;

    public PerfSampleType SampleType;
    public PerfReadFormat ReadFormat;
    public PerfEventFlags Flags;

    /// <summary>The number of bytes in the ring at which its reader is woken, with <see cref="PerfEventFlags.Watermark"/>.</summary>
    public uint WakeupEvents;

    public uint BreakpointType;
    public ulong Config1;
    public ulong Config2;
    public ulong BranchSampleType;
    public ulong SampleRegistersUser;
    public uint SampleStackUser;
    public int ClockId;
    public ulong SampleRegistersInterrupt;
    public uint AuxWatermark;
    public ushort SampleMaxStack;
    public ushort Reserved;

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

/// <summary>The bits of perf_event_attr that counting and sampling need.</summary>
[Flags]
internal enum PerfEventFlags : ulong
{
    None = 0,
    Disabled = 1 << 0,
    Inherit = 1 << 1,
    Pinned = 1 << 2,
    ExcludeUser = 1 << 4,
    ExcludeKernel = 1 << 5,
    ExcludeHypervisor = 1 << 6,
    ExcludeIdle = 1 << 7,
    Mmap = 1 << 8,
    Comm = 1 << 9,
    Frequency = 1 << 10,
    EnableOnExec = 1 << 12,
    Task = 1 << 13,
    Watermark = 1 << 14,
    SampleIdAll = 1 << 18,
    Mmap2 = 1 << 23,
    CommExec = 1 << 24,
    UseClockId = 1 << 25,
}

/// <summary>The contents of a sample, in the order of the documentation of enum perf_event_sample_format.</summary>
[Flags]
internal enum PerfSampleType : ulong
{
    ThreadId = 1 << 1,
    Time = 1 << 2,
    CallChain = 1 << 5,
    Identifier = 1 << 16,
}

/// <summary>The values that read(2) returns.</summary>
[Flags]
internal enum PerfReadFormat : ulong
{
    TotalTimeEnabled = 1,
    TotalTimeRunning = 2,
    Group = 8,
}
