using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Tests.Percentiles;

public sealed class PercentilesRun : BenchmarkRun
{
    public PercentilesRun()
        : base(
            ManualConfig.CreateEmpty().AddJob(Counted().WithInvocationCount(112)), typeof(TailWorkloads))
    {
    }
}

/// <summary>The distribution of single invocations, of benchmarks whose tail is known. Waiting takes at least as long as it says, and on a
/// machine with other work longer: what has to be short takes nothing at all, and is called ten times for one that may be late.</summary>
public sealed class PercentilesTests(PercentilesRun run) : IClassFixture<PercentilesRun>
{
    private const double Millisecond = 1e6;
    private const double Slow = TailWorkloads.SlowMilliseconds * Millisecond;

    // Histograms round to three digits.
    private const double Rounded = 0.999;

    private readonly Summary _summary = run.Summary;

    [Fact]
    public void Two_slow_calls_in_a_hundred_show_at_p99_and_not_before()
    {
        const string Benchmark = nameof(TailWorkloads.TwoSlowInAHundred);
        _summary.Value(Benchmark, "p50").Should().BeLessThan(Millisecond);
        _summary.Value(Benchmark, "p90").Should().BeLessThan(Millisecond);
        _summary.Value(Benchmark, "p99").Should().BeGreaterThan(Slow * Rounded);
        _summary.Value(Benchmark, "p99.9").Should().BeGreaterThanOrEqualTo(_summary.Value(Benchmark, "p99"));
        _summary.Value(Benchmark, "max").Should().BeGreaterThanOrEqualTo(_summary.Value(Benchmark, "p99.9"));
    }

    [Fact]
    public void Percentiles_are_per_operation_as_the_mean_is()
    {
        _summary.Value(nameof(TailWorkloads.FiveAtOnce), "p50").Should().BeInRange(Slow * Rounded / 5, Slow / 2);
        HistogramOf(nameof(TailWorkloads.FiveAtOnce)).GetPercentileValue(50).Should().BeGreaterThan((ulong)(Slow * Rounded), "logs and plots have invocations");
    }

    [Fact]
    public void The_ends_of_a_distribution_are_those_of_its_histogram()
    {
        HdrHistogram histogram = HistogramOf(nameof(TailWorkloads.TwoSlowInAHundred));
        _summary.Value(nameof(TailWorkloads.TwoSlowInAHundred), "max").Should().Be(histogram.GetPercentileValue(100));
        _summary.Value(nameof(TailWorkloads.TwoSlowInAHundred), "p99.9").Should().Be(histogram.GetPercentileValue(99.9));
        histogram.TotalCount.Should().BeGreaterThan(100);
    }

    [Fact]
    public void Awaited_work_is_timed_to_its_end_for_each_of_its_arguments()
    {
        BenchmarkReport[] reports = [.. _summary.Reports.Where(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == nameof(TailWorkloads.Awaits))];
        reports.Should().HaveCount(2);
        foreach (BenchmarkReport report in reports)
        {
            int milliseconds = (int)report.BenchmarkCase.Parameters["milliseconds"];

            // Delays are counted in whole ticks of a millisecond: one may begin late in its first.
            report.Metrics["p50"].Value.Should().BeGreaterThan((milliseconds - 0.5) * Millisecond * Rounded);
        }
    }

    [Fact]
    public void Columns_follow_each_other_and_explain_themselves()
    {
        _summary.Headers().Should().Equal("p50", "p90", "p99", "p99.9", "max");
        run.Log.Should().MatchRegex("p99 +: 99 % of the single invocations took at most this").And.MatchRegex("max +: The slowest single invocation");
    }

    private HdrHistogram HistogramOf(string method) =>
        MeasuredHistogram.Of(_summary).Single().Single(one => one.Name.StartsWith(method, StringComparison.Ordinal)).Histogram;
}
