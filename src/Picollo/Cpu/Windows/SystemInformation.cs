using System.Runtime.InteropServices;
using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

/// <summary>SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION of winternl.h. Times since the start in units of 100 ns; the kernel's includes
/// the three others that are not the user's.</summary>
internal struct ProcessorTimes
{
    public long Idle;
    public long Kernel;
    public long User;
    public long Dpc;
    public long Interrupt;
    public uint InterruptCount;

    /// <summary>Each moment in one state. Windows has no niceness, counts waiting for a disk as idle, and does not report what
    /// a hypervisor took away.</summary>
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

/// <summary>SYSTEM_PROCESS_INFORMATION of winternl.h, what is used of it; its threads follow. Times in units of 100 ns.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct ProcessEntry
{
    /// <summary>From this entry to the next; 0 for the last.</summary>
    [FieldOffset(0)] public uint NextOffset;

    [FieldOffset(4)] public int ThreadCount;

    /// <summary>Since 1601, UTC.</summary>
    [FieldOffset(32)] public long Created;

    [FieldOffset(40)] public long User;

    [FieldOffset(48)] public long Kernel;

    [FieldOffset(56)] public ushort NameBytes;

    /// <summary>UTF-16 somewhere in the same list; 0 without a name.</summary>
    [FieldOffset(64)] public ulong NameAddress;

    [FieldOffset(72)] public int BasePriority;

    [FieldOffset(80)] public long ProcessId;

    [FieldOffset(120)] public long VirtualBytes;

    /// <summary>The working set; 0 where it is not told.</summary>
    [FieldOffset(144)] public long ResidentBytes;
}

/// <summary>SYSTEM_THREAD_INFORMATION of winternl.h, what is used of it.</summary>
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

    /// <summary>KTHREAD_STATE; Wine leaves it 0, "initialized", which no thread that can be seen is in.</summary>
    [FieldOffset(68)] public uint ThreadState;

    [FieldOffset(72)] public uint WaitReason;

    /// <summary>The letter that Linux has for it; null where it is not told.</summary>
    public readonly char? State => ThreadState switch
    {
        1 or 2 or 3 or 7 => 'R', // ready, running, standby, deferred ready
        4 => 'X',
        5 or 6 or 8 => WaitReason is Suspended or WrSuspended ? 'T' : 'S', // waiting, transition, gate wait
        _ => null,
    };
}
