namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>What was measured while one iteration ran.</summary>
/// <param name="Counts">In the counters' order.</param>
/// <param name="Usage">The process's; null if not asked for, or not to be had.</param>
internal readonly record struct Iteration(ulong[] Counts, ProcessUsage? Usage);
