using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet.BenchmarkProcess;

/// <summary>Computes results per operation: the mean of the actual workload iterations minus the median of the actual overhead iterations,
/// at least 0. As in BenchmarkDotNet, the overhead is a median, because the JIT compiler still runs during the first iterations.</summary>
/// <param name="iterations">All measured iterations, in order.</param>
/// <param name="times">The iterations that the engine reports, in order. They may start with iterations that were not measured.</param>
internal sealed class IterationSums(IReadOnlyList<Iteration> iterations, IReadOnlyList<Measurement> times)
{
    /// <summary>The resolution of the CPU time of a process, in nanoseconds: a microsecond in getrusage(2), 1/64 s on Windows.</summary>
    private static readonly double ClockStep = OperatingSystem.IsWindows() ? 15_625_000 : 1000;

    /// <summary>The maximum relative error of a ratio.</summary>
    private const double Tolerance = 0.05;

    private readonly ILookup<IterationMode, (Iteration Measured, Measurement Time)> _actual = iterations.Reverse().Zip(times.Reverse())
        .Where(pair => pair.Second.IterationStage == IterationStage.Actual)
        .ToLookup(pair => pair.Second.IterationMode);

    /// <summary>The CPU usage; null if it is unavailable or nothing ran.</summary>
    public CpuPerOperation? Cpu => Workload.Any(iteration => iteration.Measured.Usage is not null)
        ? new(
            PerOperation(iteration => iteration.Measured.Usage?.Cpu.UserNanoseconds ?? 0),
            PerOperation(iteration => iteration.Measured.Usage?.Cpu.KernelNanoseconds ?? 0),
            Wall,
            Switches(usage => usage.VoluntarySwitches),
            Switches(usage => usage.InvoluntarySwitches))
        : null;

    /// <summary>The elapsed time; null if it is not meaningful: it is near the resolution of the clock, or the workload takes hardly longer
    /// than an empty one.</summary>
    private double? Wall
    {
        get
        {
            double own = PerOperation(iteration => iteration.Measured.WallNanoseconds);
            double all = Workload.Sum(iteration => iteration.Measured.WallNanoseconds);
            double ownOfAll = own * Workload.Sum(iteration => iteration.Time.Operations);
            return ownOfAll * Tolerance >= Workload.Count() * ClockStep && ownOfAll >= all * Tolerance ? own : null;
        }
    }

    public double PerOperation(int index) => PerOperation(iteration => iteration.Measured.Counts[index]);

    private IEnumerable<(Iteration Measured, Measurement Time)> Workload => _actual[IterationMode.Workload];

    private double? Switches(Func<ProcessUsage, long?> count) =>
        Workload.Any(iteration => iteration.Measured.Usage is { } usage && count(usage) is null)
            ? null
            : PerOperation(iteration => iteration.Measured.Usage is { } usage ? count(usage) ?? 0 : 0);

    private double PerOperation(Func<(Iteration Measured, Measurement Time), double> value)
    {
        double workload = Workload.Sum(value) / Workload.Sum(iteration => iteration.Time.Operations); // NaN if nothing ran
        double[] overheads = [.. _actual[IterationMode.Overhead].Select(iteration => value(iteration) / iteration.Time.Operations).Order()];
        return Math.Max(0, workload - overheads.ElementAtOrDefault(overheads.Length / 2));
    }
}
