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
    public void CPU_time_is_attributed_to_the_operation(string benchmark, int milliseconds) =>
        CpuOf(benchmark).Should().BeInRange(0.98 * milliseconds * Millisecond, 1.5 * milliseconds * Millisecond);

    [Fact]
    public void A_sleep_uses_no_CPU_time()
    {
        CpuOf(nameof(CpuWorkloads.Sleeps)).Should().BeLessThan(0.5 * Millisecond);
        _summary.Value(nameof(CpuWorkloads.Sleeps), "CPU/Wall").Should().BeInRange(0, 0.1);
    }

    [Theory]
    [InlineData(nameof(CpuWorkloads.Burns))]
    [InlineData(nameof(CpuWorkloads.Sleeps))]
    [InlineData(nameof(CpuWorkloads.BurnsOnTwo))]
    public void The_ratio_uses_the_elapsed_time_of_the_measurement(string benchmark)
    {
        // The table excludes outliers.
        double mean = _summary.Reports.Single(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == benchmark).ResultStatistics!.Mean;
        double ratio = _summary.Value(benchmark, "CPU/Wall");
        ratio.Should().BeInRange(CpuOf(benchmark) / mean * 0.5, CpuOf(benchmark) / mean * 1.5);
        ratio.Should().BeLessThanOrEqualTo(Environment.ProcessorCount * 1.001, "a process cannot use more than all processors");
    }

    [FactNeeding(Need.Linux)]
    public void Each_sleep_is_a_voluntary_switch() =>
        _summary.Value(nameof(CpuWorkloads.Sleeps), "VoluntarySwitches/Op").Should().BeInRange(1, 3);

    [FactNeeding(Need.Linux)]
    public void Columns_have_names_and_units()
    {
        _summary.Headers().Where(header => header != "InvoluntarySwitches/Op").Should().Equal("TaskClock/Op", "CPU/Op", "CPU/Wall", "VoluntarySwitches/Op");
        _summary.Cell(nameof(CpuWorkloads.Burns), "CPU/Op").Should().MatchRegex(@"^[0-9,]+(\.[0-9]{1,3})? [mμ]s$");
    }

    [FactNeeding(Need.Linux)]
    public void Work_after_an_await_is_counted_on_any_thread() =>
        _summary.Value(nameof(CpuWorkloads.BurnsElsewhere), "TaskClock/Op").Should().BeInRange(1.96 * Millisecond, 3 * Millisecond);

    [FactNeeding(Need.Linux)]
    public void Without_an_await_only_the_thread_of_the_benchmark_is_counted() =>
        _summary.Value(nameof(CpuWorkloads.BurnsOnTwo), "TaskClock/Op").Should().BeInRange(1.96 * Millisecond, 3 * Millisecond);

    private double CpuOf(string benchmark) => _summary.Value(benchmark, "CPU/Op");
}
