namespace Picollo.BenchmarkDotNet.Exchange;

/// <summary>What the engine measured.</summary>
/// <param name="Counters">Those that could be counted.</param>
/// <param name="Unavailable">What was asked for and could not be had, and why; a sentence each.</param>
/// <param name="Cpu">Null if not asked for, or not to be had.</param>
/// <param name="Invocations">Null if not asked for, or none ran.</param>
internal sealed record MeasureResult(
    IReadOnlyList<CountedEvents> Counters, IReadOnlyList<string> Unavailable, CpuPerOperation? Cpu, InvocationTimes? Invocations);

/// <summary>What a counter counted.</summary>
/// <param name="Name">The counter's.</param>
/// <param name="PerOperation">Not negative.</param>
/// <param name="IsScaled">Whether it counted part of the time only, and is an estimate.</param>
internal sealed record CountedEvents(string Name, double PerOperation, bool IsScaled = false);

/// <summary>What an operation took of the CPU.</summary>
/// <param name="UserNanoseconds">In user code.</param>
/// <param name="KernelNanoseconds">In the kernel.</param>
/// <param name="WallNanoseconds">The elapsed time; null if it is too short to be compared with.</param>
/// <param name="VoluntarySwitches">Null where the system does not tell.</param>
/// <param name="InvoluntarySwitches">Null where the system does not tell.</param>
internal sealed record CpuPerOperation(
    double UserNanoseconds, double KernelNanoseconds, double? WallNanoseconds, double? VoluntarySwitches, double? InvoluntarySwitches);

/// <summary>How long single invocations took.</summary>
/// <param name="Nanoseconds">An encoded histogram.</param>
/// <param name="OperationsPerInvoke">Operations of an invocation.</param>
/// <param name="StartTimeUtc">When the first began.</param>
/// <param name="EndTimeUtc">When the last had ended.</param>
internal sealed record InvocationTimes(byte[] Nanoseconds, long OperationsPerInvoke, DateTime StartTimeUtc, DateTime EndTimeUtc);
