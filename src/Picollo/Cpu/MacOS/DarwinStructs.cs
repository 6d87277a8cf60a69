using System.Runtime.InteropServices;

namespace Picollo.Cpu.MacOS;

/// <summary>struct timeval of sys/_types/_timeval.h: the microseconds are an int there, and four bytes of padding follow.</summary>
internal struct DarwinTimeValue
{
    public long Seconds;
    public int Microseconds;

    public readonly long Nanoseconds => (Seconds * 1_000_000_000) + (Microseconds * 1_000L);
}

/// <summary>struct rusage of sys/resource.h: two times and fourteen longs that are not used here.</summary>
internal unsafe struct DarwinResourceUsage
{
    public DarwinTimeValue User;
    public DarwinTimeValue Kernel;
    private fixed long _counts[14];
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
    private fixed byte _name[64];
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
