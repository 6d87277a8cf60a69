using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Picollo.Interop.MacOS;

/// <summary>struct timeval of sys/_types/_timeval.h: the microseconds are an int there, and four bytes of padding follow.</summary>
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
    public long MaxResidentBytes; // Linux and the BSDs have KiB here
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

/// <summary>struct proc_threadinfo of sys/proc_info.h. The times are nanoseconds on every CPU (the kernel makes them from whole
/// microseconds).</summary>
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

    /// <summary>The letter that Linux has for a TH_STATE of mach/thread_info.h.</summary>
    public readonly char? State => RunState switch
    {
        1 => 'R',
        2 or 5 => 'T', // stopped, halted
        3 => 'S',
        4 => 'D',
        _ => null,
    };
}

/// <summary>struct proc_taskallinfo of sys/proc_info.h, what is used of it: a proc_bsdinfo of 136 bytes and a proc_taskinfo.</summary>
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

    /// <summary>31 of them; empty where there is none.</summary>
    [FieldOffset(64)] public fixed byte Name[32];

    [FieldOffset(116)] public int Nice;

    /// <summary>Since 1970.</summary>
    [FieldOffset(120)] public ulong StartSeconds;

    [FieldOffset(128)] public ulong StartMicroseconds;

    [FieldOffset(136)] public ulong VirtualBytes;

    [FieldOffset(136 + 8)] public ulong ResidentBytes;

    /// <summary>In units of Mach absolute time, ended threads included.</summary>
    [FieldOffset(136 + 16)] public ulong User;

    [FieldOffset(136 + 24)] public ulong Kernel;

    [FieldOffset(136 + 84)] public int ThreadCount;

    [FieldOffset(136 + 88)] public int RunningCount;

    [FieldOffset(136 + 92)] public int Priority;

    /// <summary>The letter that Linux has for it.</summary>
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

    /// <summary>0 while the process lives; a zombie has its times and this.</summary>
    public ulong Ended;
}

/// <summary>processor_cpu_load_info of mach/processor_info.h: a CPU's ticks of 10 ms in each state, in 32 bits: after 497 days
/// in one state a counter begins anew.</summary>
internal struct ProcessorTicks
{
    // The order of CPU_STATE_USER and its siblings in mach/machine.h.
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

    /// <summary>That of this machine's process times; without a fraction where the call fails.</summary>
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

    /// <summary>The fraction of the times that the kernel keeps of processes.</summary>
    /// <param name="reported">What <c>mach_timebase_info</c> reports.</param>
    /// <param name="isTranslated">Whether Rosetta 2 runs this process (<c>sysctl.proc_translated</c>): then it reports 1/1, the fraction of
    /// the time that it emulates, but the kernel keeps times in the ticks of Apple silicon, 24 MHz.</param>
    public static MachTimebase OfProcessTimes(MachTimebase reported, bool isTranslated) =>
        isTranslated ? new() { Numerator = 125, Denominator = 3 } : reported;

    /// <summary>Nanoseconds, rounded down; what does not fit (292 years) stays at the limit. 0 without a fraction.</summary>
    public readonly long ToNanoseconds(ulong units)
    {
        if (Denominator == 0)
        {
            return 0;
        }

        // In 128 bits: with 125/3 the product leaves 64 after seventy days of CPU time.
        UInt128 nanoseconds = (UInt128)units * Numerator / Denominator;
        return nanoseconds <= long.MaxValue ? (long)nanoseconds : long.MaxValue;
    }
}
