using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>What iterations measured, per operation: the mean over the actual workload, less the median of the actual overhead, not below
/// 0. A median, as BenchmarkDotNet takes off of the times: the first iterations still share the process with the JIT.</summary>
internal sealed class IterationSums
{
    private readonly List<(Iteration Measured, Measurement Time)> _workload = [];
    private readonly List<(Iteration Measured, Measurement Time)> _overhead = [];

    /// <param name="iterations">Of all that was run while measuring, in order.</param>
    /// <param name="times">As the engine tells them: in order too, and perhaps more at the front, from before the measuring.</param>
    public IterationSums(IReadOnlyList<Iteration> iterations, IReadOnlyList<Measurement> times)
    {
        for (int i = 1; i <= Math.Min(iterations.Count, times.Count); i++)
        {
            Measurement time = times[^i];
            if (time.IterationStage == IterationStage.Actual)
            {
                (time.IterationMode == IterationMode.Workload ? _workload : _overhead).Add((iterations[^i], time));
            }
        }
    }

    /// <summary>Null where the system does not tell, or nothing ran.</summary>
    public CpuPerOperation? Cpu => _workload.Exists(one => one.Measured.Usage is not null)
        ? new(
            PerOperation(one => one.Measured.Usage?.Cpu.UserNanoseconds ?? 0),
            PerOperation(one => one.Measured.Usage?.Cpu.KernelNanoseconds ?? 0),
            PerOperation(one => one.Time.Nanoseconds),
            Switches(usage => usage.VoluntarySwitches),
            Switches(usage => usage.InvoluntarySwitches))
        : null;

    /// <summary>Of the counter with an index.</summary>
    public double PerOperation(int index) => PerOperation(one => one.Measured.Counts[index]);

    private double? Switches(Func<ProcessUsage, long?> count) =>
        _workload.Exists(one => one.Measured.Usage is { } usage && count(usage) is null)
            ? null
            : PerOperation(one => one.Measured.Usage is { } usage ? count(usage) ?? 0 : 0);

    private double PerOperation(Func<(Iteration Measured, Measurement Time), double> value)
    {
        if (_workload.Count == 0)
        {
            return double.NaN;
        }

        double workload = _workload.Sum(value) / _workload.Sum(one => one.Time.Operations);
        double[] overheads = [.. _overhead.Select(one => value(one) / one.Time.Operations).Order()];
        return Math.Max(0, workload - (overheads.Length == 0 ? 0 : overheads[overheads.Length / 2]));
    }
}
