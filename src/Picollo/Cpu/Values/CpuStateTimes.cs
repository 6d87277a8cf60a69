namespace Picollo.Cpu;

/// <summary>The time that a CPU, or all of them together, spent in each state since the system start.</summary>
/// <remarks>
/// <para>A state that the system does not distinguish is null; its time is included in another state. No time counts in two states: the
/// time of guests is in <see cref="CpuState.Guest"/> and not in <see cref="CpuState.User"/>, although Linux counts it in both.</para>
/// <para>Windows distinguishes user, system, idle, hard and soft interrupts. macOS distinguishes user, system, nice and idle. Linux
/// distinguishes all states; it counts in steps of 10 ms, and its idle and waiting times may decrease. Values are clamped to 292 years.
/// Immutable; the default value has no state.</para>
/// </remarks>
internal readonly record struct CpuStateTimes
{
    private readonly PerCpuState<long> _nanoseconds;

    /// <param name="nanoseconds">The times, none of them negative.</param>
    internal CpuStateTimes(PerCpuState<long> nanoseconds) => _nanoseconds = nanoseconds;

    public TimeSpan? this[CpuState state] =>
        Nanoseconds(state) is { } nanoseconds ? new TimeSpan(nanoseconds / TimeSpan.NanosecondsPerTick) : null;

    internal long? Nanoseconds(CpuState state) => _nanoseconds[(int)state];

    /// <summary>Returns a copy with one more state; a negative time counts as 0.</summary>
    internal CpuStateTimes With(CpuState state, long nanoseconds)
    {
        PerCpuState<long> times = _nanoseconds;
        times[(int)state] = Math.Max(nanoseconds, 0);
        return new CpuStateTimes(times);
    }
}

/// <summary>The states of a CPU, in the order of the columns of /proc/stat.</summary>
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

/// <summary>A value for each <see cref="CpuState"/>; null for a state that the system does not distinguish.</summary>
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
