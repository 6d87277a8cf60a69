using Picollo.Cpu;

namespace Picollo.BenchmarkDotNet.Measuring;

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
