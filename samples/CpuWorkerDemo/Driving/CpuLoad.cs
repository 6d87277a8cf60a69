using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The CPU load during a measurement.</summary>
/// <param name="ServerCpus">The CPU time of the server, divided by the elapsed time. 1 is one full CPU.</param>
/// <param name="MachineCpus">The number of busy CPUs of the machine, for all programs.</param>
/// <param name="Average">The one-minute load average at the end, or <see langword="null"/> if the system has none.</param>
public sealed record CpuLoad(double ServerCpus, double MachineCpus, double? Average)
{
    /// <summary>Measures the load while an action runs.</summary>
    /// <exception cref="MeasurementUnavailableException">This system does not report CPU times of processes or of the machine.</exception>
    public static async Task<(T Result, CpuLoad Load)> MeasureAsync<T>(int serverId, Func<Task<T>> action)
    {
        using SystemCpu machine = new(SystemCpuParts.LoadAverage);
        long before = CpuUsageReader.GetProcessTimeNanoseconds(serverId);
        long start = Stopwatch.GetTimestamp();
        T result = await action();
        double elapsed = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        long used = CpuUsageReader.GetProcessTimeNanoseconds(serverId) - before;
        machine.Update();
        double idle = (machine.Total.Idle ?? 0) + (machine.Total.IOWait ?? 0);
        return (result, new CpuLoad(used / elapsed, (1 - idle) * machine.Cpus.Count, machine.LoadAverage1Minute));
    }
}
