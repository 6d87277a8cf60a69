namespace Picollo.Interop.MacOS;

/// <summary>struct timeval of sys/_types/_timeval.h: the microseconds are an int, with four bytes of padding.</summary>
internal struct DarwinTimeValue
{
    public long Seconds;
    public int Microseconds;

    public readonly long Nanoseconds => (Seconds * 1_000_000_000) + (Microseconds * 1_000L);
}

/// <summary>struct rusage of sys/resource.h.</summary>
internal unsafe struct DarwinResourceUsage
{
    public DarwinTimeValue User;
    public DarwinTimeValue Kernel;
    public long MaxResidentBytes; // in KiB on Linux and the BSDs
    private fixed long _integralSizes[3];
    public long MinorFaults;
    public long MajorFaults;
    private fixed long _swaps[1];
    public long BlockInputs;
    public long BlockOutputs;
    private fixed long _messages[2];
    public long Signals;
    public long VoluntarySwitches;
    public long InvoluntarySwitches;
}

/// <summary>struct time_value of mach/time_value.h.</summary>
internal struct MachTimeValue
{
    public int Seconds;
    public int Microseconds;

    public readonly long Nanoseconds => (Seconds * 1_000_000_000L) + (Microseconds * 1_000L);
}

/// <summary>struct thread_basic_info of mach/thread_info.h.</summary>
internal struct ThreadBasicInfo
{
    public MachTimeValue User;
    public MachTimeValue Kernel;
    public int CpuUsage;
    public int Policy;
    public int RunState;
    public int Flags;
    public int SuspendCount;
    public int SleepTime;
}

/// <summary>struct proc_threadinfo of sys/proc_info.h. The times are in nanoseconds on every CPU, with a resolution of one
/// microsecond.</summary>
internal unsafe struct ProcessThreadInfo
{
    public ulong UserNanoseconds;
    public ulong KernelNanoseconds;
    public int CpuUsage;
    public int Policy;
    public int RunState;
    public int Flags;
    public int SleepTime;
    public int CurrentPriority;
    public int Priority;
    public int MaxPriority;
    public fixed byte Name[64];

    /// <summary>The letter that Linux uses for this state (TH_STATE of mach/thread_info.h).</summary>
    public readonly char? State => RunState switch
    {
        1 => 'R',
        2 or 5 => 'T', // stopped, halted
        3 => 'S',
        4 => 'D',
        _ => null,
    };
}

/// <summary>The used fields of struct proc_taskallinfo of sys/proc_info.h: a proc_bsdinfo of 136 bytes and a proc_taskinfo.</summary>
[StructLayout(LayoutKind.Explicit, Size = 232)]
internal unsafe struct ProcessInfo
{
    private const uint Stopped = 4; // SSTOP and SZOMB of sys/proc.h; every other process is SRUN
    private const uint Zombie = 5;

    [FieldOffset(4)] public uint Status;

    /// <summary>The effective user (pbi_uid; the real one is pbi_ruid).</summary>
    [FieldOffset(20)] public uint UserId;

    /// <summary>The first 15 bytes of the program's name.</summary>
    [FieldOffset(48)] public fixed byte ShortName[16];

    /// <summary>The first 31 bytes of the program's name; empty if there is none.</summary>
    [FieldOffset(64)] public fixed byte Name[32];

    [FieldOffset(116)] public int Nice;

    /// <summary>The start time of the process, in seconds since 1970.</summary>
    [FieldOffset(120)] public ulong StartSeconds;

    [FieldOffset(128)] public ulong StartMicroseconds;

    [FieldOffset(136)] public ulong VirtualBytes;

    [FieldOffset(136 + 8)] public ulong ResidentBytes;

    /// <summary>User time in units of Mach absolute time, including ended threads.</summary>
    [FieldOffset(136 + 16)] public ulong User;

    [FieldOffset(136 + 24)] public ulong Kernel;

    [FieldOffset(136 + 84)] public int ThreadCount;

    [FieldOffset(136 + 88)] public int RunningCount;

    [FieldOffset(136 + 92)] public int Priority;

    /// <summary>The letter that Linux uses for this state.</summary>
    public readonly char State => Status switch
    {
        Stopped => 'T',
        Zombie => 'Z',
        _ => RunningCount > 0 ? 'R' : 'S',
    };

    public readonly long StartUnixNanoseconds =>
        (long)Math.Min(StartSeconds, long.MaxValue / 2_000_000_000) * 1_000_000_000 + (long)Math.Min(StartMicroseconds, 1_000_000) * 1_000;
}

/// <summary>struct rusage_info_v0 of sys/resource.h. All times are in units of Mach absolute time.</summary>
internal unsafe struct ResourceUsageInfo
{
    private fixed byte _uuid[16];
    public ulong User;
    public ulong Kernel;
    private fixed ulong _wakeupsAndMemory[6];
    public ulong Started;

    /// <summary>The end time; 0 while the process is alive. A zombie has its times and this value.</summary>
    public ulong Ended;
}

/// <summary>processor_cpu_load_info of mach/processor_info.h: a CPU's 10 ms ticks in each state. The 32-bit counters wrap after 497 days in
/// one state.</summary>
internal struct ProcessorTicks
{
    // In the order of the CPU_STATE_ constants in mach/machine.h.
    public uint User;
    public uint System;
    public uint Idle;
    public uint Nice;
}

/// <summary>struct mach_timebase_info of mach/mach_time.h: nanoseconds per unit of Mach absolute time, as a fraction. 1/1 on Intel,
/// 125/3 on Apple silicon.</summary>
internal struct MachTimebase
{
    public uint Numerator;
    public uint Denominator;

    /// <summary>Reads the timebase of this machine's process times. The fraction is 0/0 if the call fails.</summary>
    [SupportedOSPlatform("macos")]
    public static unsafe MachTimebase Read()
    {
        MachTimebase timebase = default;
        _ = LibSystem.mach_timebase_info(&timebase);
        int isTranslated = 0;
        nuint size = sizeof(int);
        bool isKnown = LibSystem.sysctlbyname("sysctl.proc_translated", &isTranslated, &size, null, 0) == 0; // not on Intel
        return OfProcessTimes(timebase, isKnown && isTranslated == 1);
    }

    /// <summary>Returns the timebase of the process times in the kernel.</summary>
    /// <param name="reported">The result of <c>mach_timebase_info</c>.</param>
    /// <param name="isTranslated">Whether Rosetta 2 runs this process (<c>sysctl.proc_translated</c>). The reported timebase is then 1/1,
    /// that of the emulated clock, but the kernel keeps times in the ticks of Apple silicon, 24 MHz.</param>
    public static MachTimebase OfProcessTimes(MachTimebase reported, bool isTranslated) =>
        isTranslated ? new() { Numerator = 125, Denominator = 3 } : reported;

    /// <summary>Converts units to nanoseconds, rounded down and saturated at 292 years; 0 if there is no timebase.</summary>
    public readonly long ToNanoseconds(ulong units)
    {
        if (Denominator == 0)
        {
            return 0;
        }

        // Use 128 bits: with 125/3, the product exceeds 64 bits after seventy days of CPU time.
        UInt128 nanoseconds = (UInt128)units * Numerator / Denominator;
        return nanoseconds <= long.MaxValue ? (long)nanoseconds : long.MaxValue;
    }
}
