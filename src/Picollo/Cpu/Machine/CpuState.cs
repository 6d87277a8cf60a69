using System.Runtime.CompilerServices;

namespace Picollo.Cpu;

/// <summary>What a CPU can be spending its time on, in the order of /proc/stat's columns.</summary>
internal enum CpuState
{
    User,
    Nice,
    System,
    Idle,
    IOWait,
    HardIrq,
    SoftIrq,
    Steal,
    Guest,
    GuestNice,
}

/// <summary>A value for each <see cref="CpuState"/>.</summary>
[InlineArray(Count)]
internal struct PerCpuState<T>
{
    public const int Count = (int)CpuState.GuestNice + 1;

    private T _first;
}
