using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>Measures each iteration of a benchmark.</summary>
internal sealed class IterationMeter(ICounters counters, bool measuresCpu)
{
    private readonly List<Iteration> _iterations = [];
    private readonly ulong[] _counts = new ulong[counters.Names.Count];
    private ProcessUsage? _usage;
    private long _start;

    /// <summary>All so far, in order.</summary>
    public IReadOnlyList<Iteration> Iterations => _iterations;

    public void Begin()
    {
        _usage = Usage();
        _start = Stopwatch.GetTimestamp(); // right after the usage, at the end too: both are of the same time
        counters.Begin(); // last: what stands after it is counted
    }

    public void End()
    {
        counters.End(_counts); // first, likewise
        ProcessUsage? usage = Usage() - _usage;
        _iterations.Add(new([.. _counts], usage, Stopwatch.GetElapsedTime(_start).TotalNanoseconds));
    }

    private ProcessUsage? Usage() => measuresCpu ? ProcessUsage.Read() : null;
}

/// <summary>What was measured while one iteration ran.</summary>
/// <param name="Counts">In the counters' order.</param>
/// <param name="Usage">The process's; null if not asked for, or not available.</param>
/// <param name="WallNanoseconds">The time in which it was used.</param>
internal readonly record struct Iteration(ulong[] Counts, ProcessUsage? Usage, double WallNanoseconds);

/// <summary>What this process has taken so far.</summary>
/// <param name="Cpu">All its threads' time.</param>
/// <param name="VoluntarySwitches">Null where the system does not tell, as on Windows.</param>
/// <param name="InvoluntarySwitches">Null likewise.</param>
internal readonly record struct ProcessUsage(CpuUsage Cpu, long? VoluntarySwitches, long? InvoluntarySwitches)
{
    /// <summary>Now; null where the system tells nothing.</summary>
    public static ProcessUsage? Read() => ResourceUsage.TryGetByProcess(out ResourceUsage usage, out _)
        ? new(usage.Cpu, usage.VoluntaryContextSwitches, usage.InvoluntaryContextSwitches)
        : CpuUsageReader.TryGetByProcess(Environment.ProcessId, out CpuUsage cpu, out _) ? new(cpu, null, null) : null;

    public static ProcessUsage operator -(ProcessUsage end, ProcessUsage start) =>
        new(end.Cpu - start.Cpu, end.VoluntarySwitches - start.VoluntarySwitches, end.InvoluntarySwitches - start.InvoluntarySwitches);
}
