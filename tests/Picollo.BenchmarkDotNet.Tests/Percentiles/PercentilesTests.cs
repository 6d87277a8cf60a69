using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Tests.Percentiles;

/// <summary>Rare events require hundreds of calls.</summary>
public sealed class PercentilesRun() : BenchmarkRun(
    ManualConfig.CreateEmpty().AddJob(Counted().WithInvocationCount(112)), typeof(TailWorkloads));

/// <summary>The distribution of single calls for benchmarks with a known tail. A wait takes at least the specified time, and longer on a
/// busy machine. Therefore, fast calls do nothing, and there are ten fast calls for each one that may be late.</summary>
[Trait("Category", "Slow")]
public sealed class PercentilesTests(PercentilesRun run) : IClassFixture<PercentilesRun>
{
    private const double Millisecond = 1e6;
    private const double Slow = TailWorkloads.SlowMilliseconds * Millisecond;

    // Histograms have three significant digits.
    private const double Rounded = 0.999;

    [Fact]
    public void Two_slow_calls_in_a_hundred_are_visible_at_p99()
    {
        const string Benchmark = nameof(TailWorkloads.TwoSlowInAHundred);
        run.Summary.Value(Benchmark, "Call p50").Should().BeLessThan(Millisecond);
        run.Summary.Value(Benchmark, "Call p90").Should().BeLessThan(Millisecond);
        run.Summary.Value(Benchmark, "Call p99").Should().BeGreaterThan(Slow * Rounded);
        run.Summary.Value(Benchmark, "Call max").Should().BeGreaterThanOrEqualTo(run.Summary.Value(Benchmark, "Call p99"));
    }

    [Fact]
    public void Percentiles_are_per_operation_like_the_mean()
    {
        run.Summary.Value(nameof(TailWorkloads.FiveAtOnce), "Call p50").Should().BeInRange(Slow * Rounded / 5, Slow / 2);
        HistogramOf(nameof(TailWorkloads.FiveAtOnce)).GetPercentileValue(50).Should().BeGreaterThan(
            (ulong)(Slow * Rounded), "logs and plots contain the times of invocations, not of operations");
    }

    [Fact]
    public void Awaited_work_is_timed_until_it_ends()
    {
        BenchmarkReport[] reports = [.. run.Summary.Reports.Where(
            report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == nameof(TailWorkloads.Awaits))];
        reports.Should().HaveCount(2);
        foreach (BenchmarkReport report in reports)
        {
            int milliseconds = (int)report.BenchmarkCase.Parameters["milliseconds"];

            // Delays have a resolution of a millisecond, so a delay can be up to one millisecond shorter.
            report.Metrics["Call p50"].Value.Should().BeGreaterThan((milliseconds - 0.5) * Millisecond * Rounded);
        }
    }

    [Fact]
    public void Columns_match_the_exported_histogram_are_in_order_and_have_legends()
    {
        HdrHistogram histogram = HistogramOf(nameof(TailWorkloads.TwoSlowInAHundred));
        histogram.TotalCount.Should().BeGreaterThan(100);
        foreach ((string column, double value) in ((string, double)[])
        [
            ("Calls", histogram.TotalCount), ("Call mean", histogram.GetSummary().Mean), ("Call p99", histogram.GetPercentileValue(99)),
            ("Call max", histogram.GetPercentileValue(100)),
        ])
        {
            run.Summary.Value(nameof(TailWorkloads.TwoSlowInAHundred), column).Should().BeApproximately(value, value * 0.001, column);
        }

        run.Summary.Headers().Should().Equal("Calls", "Call mean", "Call p50", "Call p90", "Call p99", "Call p99.9", "Call max");
        run.Log.Should().MatchRegex("Call p99 +: 99 % of the single calls took at most this time").And.MatchRegex("Call max +: Time of the slowest single call");
        ((string[])["Call p99", "Call p99.9"]).Select(column => run.Summary.Cell(nameof(TailWorkloads.TwoSlowInAHundred), column) == "-")
            .Should().Equal([false, true], "a percentile that equals the maximum is omitted: there are fewer than 1,000 calls");
    }

    private HdrHistogram HistogramOf(string method) =>
        MeasuredHistogram.FromSummary(run.Summary).Single().Single(one => one.Name.StartsWith(method, StringComparison.Ordinal)).Histogram;
}
