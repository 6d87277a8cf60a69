using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

/// <summary>SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION of winternl.h. Times since the system start in units of 100 ns. Kernel time includes
/// the three others except user time.</summary>
internal struct ProcessorTimes
{
    public long Idle;
    public long Kernel;
    public long User;
    public long Dpc;
    public long Interrupt;
    public uint InterruptCount;

    /// <summary>The time in each state; states do not overlap. Windows has no niceness, counts waiting for a disk as idle, and does not
    /// report time stolen by a hypervisor.</summary>
    public readonly CpuStateTimes States => new CpuStateTimes()
        .With(CpuState.User, Nanoseconds(User))
        .With(CpuState.System, Nanoseconds(Kernel - Idle - Dpc - Interrupt))
        .With(CpuState.Idle, Nanoseconds(Idle))
        .With(CpuState.HardIrq, Nanoseconds(Interrupt))
        .With(CpuState.SoftIrq, Nanoseconds(Dpc));

    public readonly ProcessorTimes Plus(in ProcessorTimes other) => new()
    {
        Idle = Idle + other.Idle,
        Kernel = Kernel + other.Kernel,
        User = User + other.User,
        Dpc = Dpc + other.Dpc,
        Interrupt = Interrupt + other.Interrupt,
    };

    private static long Nanoseconds(long units) => FileTime.ToNanoseconds((ulong)Math.Max(units, 0));
}

/// <summary>The used fields of SYSTEM_PROCESS_INFORMATION of winternl.h; the threads follow. Times are in units of 100 ns.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct ProcessEntry
{
    /// <summary>The offset of the next entry from this one; 0 for the last.</summary>
    [FieldOffset(0)] public uint NextOffset;

    [FieldOffset(4)] public int ThreadCount;

    /// <summary>The start time since 1601, UTC.</summary>
    [FieldOffset(32)] public long Created;

    [FieldOffset(40)] public long User;

    [FieldOffset(48)] public long Kernel;

    [FieldOffset(56)] public ushort NameBytes;

    /// <summary>The address of the UTF-16 name in the same list; 0 without a name.</summary>
    [FieldOffset(64)] public ulong NameAddress;

    [FieldOffset(72)] public int BasePriority;

    [FieldOffset(80)] public long ProcessId;

    [FieldOffset(120)] public long VirtualBytes;

    /// <summary>The working set; 0 if it is not reported.</summary>
    [FieldOffset(144)] public long ResidentBytes;
}

/// <summary>The used fields of SYSTEM_THREAD_INFORMATION of winternl.h.</summary>
[StructLayout(LayoutKind.Explicit, Size = 80)]
internal struct ThreadEntry
{
    // KWAIT_REASON of wdm.h
    private const uint Suspended = 5;
    private const uint WrSuspended = 12;

    [FieldOffset(0)] public long Kernel;

    [FieldOffset(8)] public long User;

    [FieldOffset(16)] public long Created;

    [FieldOffset(48)] public long ThreadId;

    [FieldOffset(56)] public int Priority;

    /// <summary>KTHREAD_STATE. Wine leaves it 0 ("initialized"), which never applies to a visible thread.</summary>
    [FieldOffset(68)] public uint ThreadState;

    [FieldOffset(72)] public uint WaitReason;

    /// <summary>The corresponding letter of Linux; null if the state is not reported.</summary>
    public readonly char? State => ThreadState switch
    {
        1 or 2 or 3 or 7 => 'R', // ready, running, standby, deferred ready
        4 => 'X',
        5 or 6 or 8 => WaitReason is Suspended or WrSuspended ? 'T' : 'S', // waiting, transition, gate wait
        _ => null,
    };
}
