namespace Picollo.Diagnostics;

/// <summary>How far a <see cref="CpuJitter"/> is. Nanoseconds, exact; zeros before the first wake-up.</summary>
/// <param name="Count">How many wake-ups were measured.</param>
/// <param name="Lost">How many were measured and not taken in, as this process got no CPU to do so in time; not part of the others.</param>
/// <param name="MinNanoseconds">The shortest latency.</param>
/// <param name="MeanNanoseconds">Their mean.</param>
/// <param name="MaxNanoseconds">The longest.</param>
/// <param name="LastNanoseconds">The latest.</param>
public readonly record struct CpuJitterStatus(
    long Count, long Lost, ulong MinNanoseconds, double MeanNanoseconds, ulong MaxNanoseconds, ulong LastNanoseconds);
