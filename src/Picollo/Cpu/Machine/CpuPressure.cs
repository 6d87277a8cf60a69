namespace Picollo.Cpu;

/// <summary>Linux's pressure stall information for the CPU (Documentation/accounting/psi.rst of the kernel).</summary>
/// <param name="Some">The time in which at least one thread waited for a CPU.</param>
/// <param name="Full">The time in which all threads that were not idle waited. For the machine as a whole that cannot be, and
/// the kernel reports zeros; null on kernels before 5.13, which do not report it.</param>
public readonly record struct CpuPressure(PressureStall Some, PressureStall? Full);

/// <summary>How much of the time threads were stalled.</summary>
/// <param name="Average10">The share of the last ten seconds, 0 to 1, decaying exponentially, to 0.0001.</param>
/// <param name="Average60">The same of the last minute.</param>
/// <param name="Average300">The same of the last five minutes.</param>
/// <param name="Total">The time stalled since the system was started, to a microsecond.</param>
public readonly record struct PressureStall(double Average10, double Average60, double Average300, TimeSpan Total);
