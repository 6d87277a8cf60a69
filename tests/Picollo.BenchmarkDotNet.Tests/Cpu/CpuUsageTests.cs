using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Perfolizer.Mathematics.OutlierDetection;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;

namespace Picollo.BenchmarkDotNet.Tests.Cpu;

public sealed class CpuRun() : BenchmarkRun(
    ManualConfig.CreateEmpty().AddJob(Counted().WithInvocationCount(16).WithUnrollFactor(4).WithOutlierMode(OutlierMode.DontRemove)), typeof(CpuWorkloads));

/// <summary>CPU time and context switches per operation for work with a known CPU time.</summary>
/// <remarks>The CPU time of a process does not depend on other programs, but includes the work of the runtime, such as compilation and
/// garbage collection. The bounds permit 50 % more, but not a factor from unrolling or from threads.</remarks>
[Trait("Category", "Slow")]
public sealed class CpuUsageTests(CpuRun run) : IClassFixture<CpuRun>
{
    private const double Millisecond = 1e6;

    private readonly Summary _summary = run.Summary;

    [Theory]
    [InlineData(nameof(CpuWorkloads.Burns), 2)]
    [InlineData(nameof(CpuWorkloads.BurnsOnTwo), 4)]
    [InlineData(nameof(CpuWorkloads.BurnsElsewhere), 2)]
    [InlineData(nameof(CpuWorkloads.Sleeps), 0)]
    public void CPU_time_is_attributed_to_the_operation(string benchmark, int milliseconds)
    {
        CpuOf(benchmark).Should().BeInRange(0.98 * milliseconds * Millisecond, Math.Max(0.5, 1.5 * milliseconds) * Millisecond);
        if (OperatingSystem.IsLinux() && milliseconds > 0)
        {
            _summary.Value(benchmark, "TaskClock/Op")
                .Should().BeInRange(1.96 * Millisecond, 3 * Millisecond, "the thread of the benchmark is counted, and after an await any thread");
        }

        // The table excludes outliers, so its mean can differ from the elapsed time of the measurement.
        double mean = _summary.Reports.Single(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == benchmark).ResultStatistics!.Mean;
        _summary.Value(benchmark, "CPU/Wall").Should().BeInRange(CpuOf(benchmark) / mean * 0.5, CpuOf(benchmark) / mean * 1.5)
            .And.BeLessThanOrEqualTo(Environment.ProcessorCount * 1.001, "a process cannot use more than all processors");
    }

    [FactNeeding(Need.Linux)]
    public void Columns_have_names_and_units()
    {
        _summary.Headers().Where(header => header != "InvoluntarySwitches/Op").Should().Equal("TaskClock/Op", "CPU/Op", "CPU/Wall", "VoluntarySwitches/Op");
        _summary.Value(nameof(CpuWorkloads.Sleeps), "VoluntarySwitches/Op").Should().BeInRange(1, 3);
        _summary.Cell(nameof(CpuWorkloads.Burns), "CPU/Op").Should().MatchRegex(@"^[0-9,]+(\.[0-9]{1,3})? [mμ]s$");
    }

    private double CpuOf(string benchmark) => _summary.Value(benchmark, "CPU/Op");
}
