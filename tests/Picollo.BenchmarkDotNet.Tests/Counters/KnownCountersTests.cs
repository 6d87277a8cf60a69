using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
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

    [Fact]
    public void Counts_are_per_operation_minus_the_overhead()
    {
        foreach (string benchmark in (string[])[nameof(KnownWorkloads.Once), nameof(KnownWorkloads.TenAtOnce), nameof(KnownWorkloads.Awaited)])
        {
            _known.Value(benchmark, "Instructions/Op").Should().BeApproximately(7, 1e-9, benchmark);
            _known.Value(benchmark, "CpuCycles/Op").Should().BeApproximately(28, 1e-9, benchmark);
            _known.Value(benchmark, "PageFaults/Op").Should().BeApproximately(12_345, 1e-9, benchmark);
            _known.Value(benchmark, "IPC").Should().BeApproximately(0.25, 1e-9, benchmark);
        }

        _known.Headers().Should().Equal("Instructions/Op", "CpuCycles/Op", "PageFaults/Op", "IPC");
        ((string[])["Instructions/Op", "PageFaults/Op", "IPC"]).Select(column => _known.Cell(nameof(KnownWorkloads.Once), column))
            .Should().Equal("7.00", "12,345", "0.25");
        _known.Cell(nameof(KnownWorkloads.Nothing), "Instructions/Op").Should().Be("-", "BenchmarkDotNet shows 0 as -");
        _known.Reports.Single(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == nameof(KnownWorkloads.Nothing))
            .Metrics.Should().NotContainKey("IPC", "there were no cycles");
    }

    [Fact]
    public void A_column_with_a_multiplexed_counter_is_marked_as_scaled()
    {
        _shared.Headers().Should().Contain("Instructions/Op (scaled)");
        run.Log.Should().MatchRegex("Instructions/Op \\(scaled\\) +: Instructions per operation, benchmark thread only; scaled: the CPU has too few counters");
        _shared.Cell(nameof(SharedWorkloads.Whole), "Instructions/Op (scaled)").Should().Be("7.00");
        _shared.Cell(nameof(SharedWorkloads.Half), "Instructions/Op (scaled)").Should().Be("7.00");
        _shared.Cell(nameof(SharedWorkloads.Never), "Instructions/Op (scaled)").Should().Be("NA");
        run.Log.Should().Contain("Not counted: Instructions: the multiplexed counter never ran.");
    }
}
