using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Tests.Percentiles;

/// <summary>Two runs: rare events require hundreds of calls, common ones only a few.</summary>
public sealed class PercentilesRun : IDisposable
{
    private readonly BenchmarkRun _many = Run(112, name => name == nameof(TailWorkloads.TwoSlowInAHundred));
    private readonly BenchmarkRun _few = Run(16, name => name != nameof(TailWorkloads.TwoSlowInAHundred));

    /// <summary>The run of <see cref="TailWorkloads.TwoSlowInAHundred"/>.</summary>
    public Summary Many => _many.Summary;

    /// <summary>The run of the other benchmarks.</summary>
    public Summary Few => _few.Summary;

    public string Log => _many.Log;

    public void Dispose()
    {
        _many.Dispose();
        _few.Dispose();
    }

    private static BenchmarkRun Run(int invocations, Func<string, bool> isRun) => new(
        ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted().WithInvocationCount(invocations))
            .AddFilter(new SimpleFilter(benchmark => isRun(benchmark.Descriptor.WorkloadMethod.Name))),
        typeof(TailWorkloads));
}

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
        run.Many.Value(Benchmark, "Call p50").Should().BeLessThan(Millisecond);
        run.Many.Value(Benchmark, "Call p90").Should().BeLessThan(Millisecond);
        run.Many.Value(Benchmark, "Call p99").Should().BeGreaterThan(Slow * Rounded);
        run.Many.Value(Benchmark, "Call max").Should().BeGreaterThanOrEqualTo(run.Many.Value(Benchmark, "Call p99"));
    }

    [Fact]
    public void Percentiles_are_per_operation_like_the_mean()
    {
        run.Few.Value(nameof(TailWorkloads.FiveAtOnce), "Call p50").Should().BeInRange(Slow * Rounded / 5, Slow / 2);
        HistogramOf(run.Few, nameof(TailWorkloads.FiveAtOnce)).GetPercentileValue(50).Should().BeGreaterThan((ulong)(Slow * Rounded), "logs and plots contain the times of invocations, not of operations");
    }

    [Fact]
    public void Awaited_work_is_timed_until_it_ends()
    {
        BenchmarkReport[] reports = [.. run.Few.Reports.Where(report => report.BenchmarkCase.Descriptor.WorkloadMethod.Name == nameof(TailWorkloads.Awaits))];
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
        HdrHistogram histogram = HistogramOf(run.Many, nameof(TailWorkloads.TwoSlowInAHundred));
        histogram.TotalCount.Should().BeGreaterThan(100);
        foreach ((string column, double value) in ((string, double)[])
        [
            ("Calls", histogram.TotalCount), ("Call mean", histogram.GetSummary().Mean), ("Call p99", histogram.GetPercentileValue(99)),
            ("Call max", histogram.GetPercentileValue(100)),
        ])
        {
            run.Many.Value(nameof(TailWorkloads.TwoSlowInAHundred), column).Should().BeApproximately(value, value * 0.001, column);
        }

        run.Many.Headers().Should().Equal("Calls", "Call mean", "Call p50", "Call p90", "Call p99", "Call p99.9", "Call max");
        run.Log.Should().MatchRegex("Call p99 +: 99 % of the single calls took at most this time").And.MatchRegex("Call max +: Time of the slowest single call");
        run.Many.Table.Columns.Where(column => column.Header is "Call p99" or "Call p99.9").Select(column => column.Content.Single() == "-")
            .Should().Equal([false, true], "a percentile that equals the maximum is omitted: there are fewer than 1,000 calls");
    }

    private HdrHistogram HistogramOf(Summary summary, string method) =>
        MeasuredHistogram.FromSummary(summary).Single().Single(one => one.Name.StartsWith(method, StringComparison.Ordinal)).Histogram;
}
