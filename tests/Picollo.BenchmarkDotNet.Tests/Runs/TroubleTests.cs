using BenchmarkDotNet.Configs;
using BenchmarkDotNet.EventProcessors;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Runs;

/// <summary>Errors around a benchmark are reported and only affect its measures; the run continues.</summary>
[Trait("Category", "Slow")]
public sealed class TroubleTests
{
    private static ManualConfig InThisProcess => ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted());

    [FactNeeding(Need.Linux)]
    public void A_missing_temporary_folder_is_reported_and_times_are_kept()
    {
        using BenchmarkRun run = new(InThisProcess.AddEventProcessor(new WhileBenchmarksRun("/none/such")), typeof(UnwritableWorkload));
        run.Summary.Reports.Single().Success.Should().BeTrue();
        run.Summary.Headers().Should().BeEmpty();
        AfterRun(run).Should().Contain("Not measured: /none/such/: ").And.NotContain("wrote no results");
    }

    [Fact]
    public void Times_are_kept_if_results_cannot_be_written()
    {
        using BenchmarkRun run = new(InThisProcess, typeof(UnwritableWorkload));
        run.Summary.Reports.Single().Success.Should().BeTrue();
        run.Summary.Headers().Should().BeEmpty();
        run.Log.Should().Contain("// Not measured: ");
        AfterRun(run).Should().MatchRegex("Not measured: UnwritableWorkload\\.Work: .*: Picollo's engine wrote no results");
    }

    [Fact]
    public void Additional_launches_are_not_measured()
    {
        RecordedEngines.Clear();
        using BenchmarkRun run = new(
            ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted().WithInvocationCount(16).WithAnalyzeLaunchVariance(true))
                .AddPicollo(PicolloMeasure.CpuUsage, PicolloMeasure.HdrPercentiles),
            typeof(ShortWorkload));

        // BenchmarkDotNet adds launches if the overhead is a large share of the time.
        RecordedEngines.Engines.Count(engine => engine == "MeasuringEngine").Should().Be(2, "only the initial launches are measured");
        run.Summary.Headers().Should().Contain("CPU/Op").And.Contain("Call p99").And.OnlyHaveUniqueItems();
        AfterRun(run).Should().NotContain("Not measured");
    }

    [Fact]
    public void A_joined_table_has_common_headers_and_decimals()
    {
        using BenchmarkRun run = new(
            InThisProcess.WithOptions(ConfigOptions.JoinSummary), typeof(PlainWorkload), typeof(ManyWorkload), typeof(RareWorkload));
        run.Summary.Headers().Should().Equal("Instructions/Op (scaled)");
        run.Summary.Cell(nameof(ManyWorkload.Thousands), "Instructions/Op (scaled)").Should().Be("5,000.0000");
        run.Summary.Cell(nameof(RareWorkload.Fractions), "Instructions/Op (scaled)").Should().Be("0.2500");
        run.Summary.Cell(nameof(PlainWorkload.Work), "Instructions/Op (scaled)").Should().Be("NA");
        AfterRun(run).Should().Contain("; NA: not measured for this benchmark");
    }

    [Fact]
    public void A_reused_configuration_keeps_no_state()
    {
        ManualConfig config = InThisProcess.AddPicollo(PerfHardwareCounterId.Instructions);
        using BenchmarkRun first = new(config, typeof(RareOfConfig));
        first.Summary.Headers().Should().Equal("Instructions/Op (scaled)");
        AfterRun(first).Should().Contain("Not counted: one: only here.");

        using BenchmarkRun second = new(config, typeof(ManyOfConfig));
        second.Summary.Headers().Should().Equal("Instructions/Op");
        second.Summary.Cell(nameof(ManyOfConfig.Thousands), "Instructions/Op").Should().Be("5,000");
        AfterRun(second).Should().NotContain("only here");
    }

    private static string AfterRun(BenchmarkRun run) => run.Log[run.Log.IndexOf("BenchmarkRunner: Finish", StringComparison.Ordinal)..];

    [Fact]
    public void Times_are_kept_if_additional_calls_fail()
    {
        using BenchmarkRun run = new(InThisProcess, typeof(FilledOnce));
        run.Summary.Reports.Single().Success.Should().BeTrue();
        run.Summary.Headers().Should().Contain("CPU/Op").And.NotContain("Calls");
        AfterRun(run).Should().MatchRegex(@"No percentiles: \S+\.FilledOnce\.Take: a call after the iterations failed").And.Contain("InvalidOperationException: Queue empty.");
        FilledOnce.Cleanups.Should().Be(1);
    }

    [FactNeeding(Need.Linux)]
    public void Metrics_that_are_0_for_all_benchmarks_have_no_column_and_are_reported()
    {
        using BenchmarkRun run = new(InThisProcess.AddPicollo(PerfSoftwareCounterId.EmulationFaults, PicolloMeasure.CpuUsage), typeof(PlainWorkload));
        run.Summary.Headers().Should().Contain("CPU/Op").And.NotContain("EmulationFaults/Op");
        AfterRun(run).Should().MatchRegex(@"// \* Diagnostic Output - Picollo \*\r?\nNo column, because the value is 0 for all benchmarks: EmulationFaults/Op");
    }

    /// <summary>Changes the temporary folder after the start of the run, which has its own temporary folder.</summary>
    private sealed class WhileBenchmarksRun(string path) : EventProcessor
    {
        private readonly string? _before = Environment.GetEnvironmentVariable("TMPDIR");

        public override void OnStartRunBenchmark(BenchmarkCase benchmarkCase) => Environment.SetEnvironmentVariable("TMPDIR", path);

        public override void OnEndRunBenchmark(BenchmarkCase benchmarkCase, BenchmarkReport report) => Environment.SetEnvironmentVariable("TMPDIR", _before);
    }
}
