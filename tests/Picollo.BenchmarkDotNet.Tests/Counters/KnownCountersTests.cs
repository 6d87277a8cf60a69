using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Toolchains.InProcess.NoEmit;
using Picollo.BenchmarkDotNet.Tests.Runs;

namespace Picollo.BenchmarkDotNet.Tests.Counters;

public sealed class KnownCountersRun() : BenchmarkRun(
    ManualConfig.CreateEmpty().AddJob(Counted()), typeof(KnownWorkloads), typeof(SharedWorkloads));

/// <summary>Numbers in the table for exactly known counts.</summary>
[Trait("Category", "Slow")]
public sealed class KnownCountersTests(KnownCountersRun run) : IClassFixture<KnownCountersRun>
{
    private readonly Summary _known = run.Of<KnownWorkloads>();
    private readonly Summary _shared = run.Of<SharedWorkloads>();

    [Theory]
    [InlineData(nameof(KnownWorkloads.Once))]
    [InlineData(nameof(KnownWorkloads.TenAtOnce))]
    [InlineData(nameof(KnownWorkloads.Awaited))]
    public void Counts_are_per_operation_minus_the_overhead(string benchmark)
    {
        _known.Value(benchmark, "Instructions/Op").Should().BeApproximately(7, 1e-9);
        _known.Value(benchmark, "CpuCycles/Op").Should().BeApproximately(28, 1e-9);
        _known.Value(benchmark, "PageFaults/Op").Should().BeApproximately(12_345, 1e-9);
    }

    [Fact]
    public void An_empty_benchmark_counts_nothing()
    {
        _known.Value(nameof(KnownWorkloads.Nothing), "Instructions/Op").Should().Be(0);
        _known.Cell(nameof(KnownWorkloads.Nothing), "Instructions/Op").Should().Be("-", "BenchmarkDotNet shows 0 as -");
        _known.Reports.Single(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == nameof(KnownWorkloads.Nothing))
            .Metrics.Should().NotContainKey("IPC", "there were no cycles");
    }

    [Fact]
    public void IPC_is_shown_if_instructions_and_cycles_are_counted()
    {
        _known.Value(nameof(KnownWorkloads.Once), "IPC").Should().BeApproximately(0.25, 1e-9);
        _known.Cell(nameof(KnownWorkloads.Once), "IPC").Should().Be("0.25");
    }

    [Fact]
    public void Columns_are_in_the_order_of_the_counters() =>
        _known.Headers().Should().Equal("Instructions/Op", "CpuCycles/Op", "PageFaults/Op", "IPC");

    [Fact]
    public void The_smallest_value_determines_the_decimals_of_a_column()
    {
        _known.Cell(nameof(KnownWorkloads.Once), "Instructions/Op").Should().Be("7.00");
        _known.Cell(nameof(KnownWorkloads.Once), "PageFaults/Op").Should().Be("12,345");
    }

    [Fact]
    public void A_column_with_a_multiplexed_counter_is_marked_as_scaled()
    {
        _shared.Headers().Should().Contain("Instructions/Op (scaled)");
        run.Log.Should().MatchRegex("Instructions/Op \\(scaled\\) +: Instructions per operation, benchmark thread only; scaled: the CPU has too few counters");
        _shared.Cell(nameof(SharedWorkloads.Whole), "Instructions/Op (scaled)").Should().Be("7.00");
        _shared.Cell(nameof(SharedWorkloads.Half), "Instructions/Op (scaled)").Should().Be("7.00");
    }

    [Fact]
    public void A_counter_that_never_ran_is_excluded_and_reported()
    {
        _shared.Cell(nameof(SharedWorkloads.Never), "Instructions/Op (scaled)").Should().Be("NA");
        run.Log.Should().Contain("Not counted: Instructions: the multiplexed counter never ran.");
    }

    [FactNeeding(Need.Linux)]
    public void Counters_that_are_unavailable_in_the_benchmark_process_are_reported_after_the_run()
    {
        using BenchmarkRun unavailable = new(ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted()), typeof(UnavailableWorkload));
        unavailable.Summary.Reports.Single().Success.Should().BeTrue();
        unavailable.Log.IndexOf("Not counted: one: only here.", StringComparison.Ordinal).Should()
            .BeGreaterThan(unavailable.Log.IndexOf("BenchmarkRunner: Finish", StringComparison.Ordinal));
    }

    [Fact]
    public void In_process_runs_have_the_same_counts()
    {
        using BenchmarkRun noEmit = new(
            ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted(InProcessNoEmitToolchain.Instance)), typeof(KnownWorkloads));
        noEmit.Summary.Value(nameof(KnownWorkloads.Once), "Instructions/Op").Should().BeApproximately(7, 1e-9);
        noEmit.Summary.Value(nameof(KnownWorkloads.TenAtOnce), "Instructions/Op").Should().BeApproximately(7, 1e-9);
        noEmit.Summary.Value(nameof(KnownWorkloads.Awaited), "Instructions/Op").Should().BeApproximately(7, 1e-9);
    }
}
