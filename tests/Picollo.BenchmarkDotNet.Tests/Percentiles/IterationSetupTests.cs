using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.NoEmit;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Tests.Percentiles;

/// <summary>Benchmarks with an iteration setup and cleanup.</summary>
[Trait("Category", "Slow")]
public sealed class IterationSetupTests
{
    private const double HalfOfSetUp = SetUpWorkloads.SetUpMilliseconds * 1e6 / 2;

    [Fact]
    public void Single_calls_run_between_setup_and_cleanup_and_exclude_their_time()
    {
        SetUpWorkloads.Calls.Clear();
        using BenchmarkRun run = new(
            ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted(InProcessNoEmitToolchain.Instance).WithIterationCount(10).WithInvocationCount(8).WithUnrollFactor(1).WithStrategy(RunStrategy.Monitoring)),
            typeof(SetUpWorkloads));

        HdrHistogram histogram = MeasuredHistogram.FromSummary(run.Summary).Single().Single().Histogram;
        int setUps = SetUpWorkloads.Calls.Count(call => call == nameof(SetUpWorkloads.SetUp));
        int works = SetUpWorkloads.Calls.Count(call => call == nameof(SetUpWorkloads.Work));
        const int OfEngine = 1 + 10;
        setUps.Should().BeGreaterThan(OfEngine + 1, "a setup takes longer than all iterations together, and does not count as their time");
        histogram.TotalCount.Should().Be((ulong)(works - (OfEngine * 8) - (setUps - OfEngine)), "the first call after each setup is not timed");
        ((double)histogram.GetPercentileValue(50)).Should().BeLessThan(HalfOfSetUp);
        ShouldBePaired(invocations: 8);
    }

    // A sequence of: setup, 1 to N calls, cleanup.
    private static void ShouldBePaired(int invocations) =>
        string.Concat(SetUpWorkloads.Calls.Select(call => call[0])).Should().MatchRegex($"^(SW{{1,{invocations}}}C)+$");
}
