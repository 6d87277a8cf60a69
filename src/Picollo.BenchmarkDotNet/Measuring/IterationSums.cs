using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>What iterations measured, per operation: the mean over the actual workload, less the median of the actual overhead, not below
/// 0. A median, as BenchmarkDotNet takes off of the times: the first iterations still share the process with the JIT.</summary>
/// <param name="iterations">Of all that was run while measuring, in order.</param>
/// <param name="times">As the engine reports them: in order too, and perhaps more at the front, from before the measuring.</param>
internal sealed class IterationSums(IReadOnlyList<Iteration> iterations, IReadOnlyList<Measurement> times)
{
    /// <summary>The step of a process's CPU time, in nanoseconds: getrusage(2) has microseconds; Windows counts ticks of 1/64 s.</summary>
    private static readonly double ClockStep = OperatingSystem.IsWindows() ? 15_625_000 : 1000;

    /// <summary>The part of the time that a ratio may be wrong by.</summary>
    private const double Tolerance = 0.05;

    private readonly ILookup<IterationMode, (Iteration Measured, Measurement Time)> _actual = iterations.Reverse().Zip(times.Reverse())
        .Where(one => one.Second.IterationStage == IterationStage.Actual)
        .ToLookup(one => one.Second.IterationMode);

    /// <summary>Null where the system does not tell, or nothing ran.</summary>
    public CpuPerOperation? Cpu => Workload.Any(one => one.Measured.Usage is not null)
        ? new(
            PerOperation(one => one.Measured.Usage?.Cpu.UserNanoseconds ?? 0),
            PerOperation(one => one.Measured.Usage?.Cpu.KernelNanoseconds ?? 0),
            Wall,
            Switches(usage => usage.VoluntarySwitches),
            Switches(usage => usage.InvoluntarySwitches))
        : null;

    /// <summary>The time of the usage; null if it says nothing: it is near the step of the clock, or what is left of a workload that takes
    /// no longer than an empty one.</summary>
    private double? Wall
    {
        get
        {
            double own = PerOperation(one => one.Measured.WallNanoseconds);
            double all = Workload.Sum(one => one.Measured.WallNanoseconds);
            double ownOfAll = own * Workload.Sum(one => one.Time.Operations);
            return ownOfAll * Tolerance >= Workload.Count() * ClockStep && ownOfAll >= all * Tolerance ? own : null;
        }
    }

    /// <summary>Of the counter with an index.</summary>
    public double PerOperation(int index) => PerOperation(one => one.Measured.Counts[index]);

    private IEnumerable<(Iteration Measured, Measurement Time)> Workload => _actual[IterationMode.Workload];

    private double? Switches(Func<ProcessUsage, long?> count) =>
        Workload.Any(one => one.Measured.Usage is { } usage && count(usage) is null)
            ? null
            : PerOperation(one => one.Measured.Usage is { } usage ? count(usage) ?? 0 : 0);

    private double PerOperation(Func<(Iteration Measured, Measurement Time), double> value)
    {
        double workload = Workload.Sum(value) / Workload.Sum(one => one.Time.Operations); // NaN where nothing ran
        double[] overheads = [.. _actual[IterationMode.Overhead].Select(one => value(one) / one.Time.Operations).Order()];
        return Math.Max(0, workload - overheads.ElementAtOrDefault(overheads.Length / 2));
    }
}
