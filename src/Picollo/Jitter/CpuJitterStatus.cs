namespace Picollo.Jitter;

/// <summary>How far a <see cref="CpuJitter"/> is. Nanoseconds, exact; zeros before the first wake-up.</summary>
/// <param name="Count">How many wake-ups were measured.</param>
/// <param name="Lost">How many were measured and not taken in, as this process got no CPU to do so in time; not part of the others.</param>
/// <param name="Min">The shortest latency.</param>
/// <param name="Mean">Their mean.</param>
/// <param name="Max">The longest.</param>
/// <param name="Last">The latest.</param>
public readonly record struct CpuJitterStatus(long Count, long Lost, ulong Min, double Mean, ulong Max, ulong Last);
