using System.Runtime.CompilerServices;

namespace Picollo.Cpu;

/// <summary>The states of a CPU, in the order of /proc/stat's columns.</summary>
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

/// <summary>A value for each <see cref="CpuState"/>; null for one that the system does not distinguish.</summary>
[InlineArray(Count)]
internal struct PerCpuState<T> : IEquatable<PerCpuState<T>>
    where T : struct
{
    public const int Count = (int)CpuState.GuestNice + 1;

    private T? _first;

    public readonly bool Equals(PerCpuState<T> other) => ((ReadOnlySpan<T?>)this).SequenceEqual(other, comparer: null);

    public override readonly bool Equals(object? obj) => obj is PerCpuState<T> other && Equals(other);

    public override readonly int GetHashCode() => HashCode.Combine(this[(int)CpuState.User], this[(int)CpuState.Idle]);
}
