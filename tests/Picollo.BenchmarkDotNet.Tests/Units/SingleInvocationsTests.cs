using System.Diagnostics;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Perfolizer.Mathematics.OutlierDetection;
using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Tests.Units;

/// <summary>Checks the shortest time, which other work on the machine does not affect.</summary>
public sealed class SingleInvocationsTests
{
    private const double Millisecond = 1e6;

    [Fact]
    public void The_time_of_an_empty_call_is_subtracted()
    {
        PlainHdrHistogram<ulong> histogram = Measure(invocations: 5, seconds: 0.05, workload: 2 * Millisecond, overhead: 0.3 * Millisecond);
        ((double)histogram.GetPercentileValue(0)).Should().BeInRange(0, 1.9 * Millisecond);
        histogram.TotalCount.Should().BeInRange(1, 25, "all single calls together take no longer than the iterations");
    }

    [Fact]
    public void A_call_that_is_faster_than_an_empty_one_has_a_time_of_0() =>
        Measure(invocations: 5, seconds: 0.01, workload: 0, overhead: 0.2 * Millisecond).GetPercentileValue(50).Should().Be(0);

    [Fact]
    public void Very_short_iterations_have_at_least_one_call() =>
        Measure(invocations: 5, seconds: 0, workload: 0, overhead: 0).TotalCount.Should().BePositive();

    [Fact]
    public void At_most_a_million_calls_are_measured() =>
        Measure(invocations: 600_000, seconds: 3600, workload: 0, overhead: 0).TotalCount.Should().Be(1_000_000);

    [Fact]
    public void Without_iterations_there_is_no_distribution() => SingleInvocations.Measure(Parameters(0, 0), Results([])).Should().BeNull();

    [Theory]
    [InlineData(new double[0], 5_000)]
    [InlineData(new double[] { 9_000, 1_000, 2_000 }, 3_000)]
    [InlineData(new double[] { 9_000 }, 0)]
    public void The_median_of_the_overhead_is_subtracted_from_iterations_with_one_call(double[] overheads, ulong expected)
    {
        Measurement[] iterations =
        [
            .. overheads.Select(overhead => new Measurement(1, IterationMode.Overhead, IterationStage.Actual, 1, 2, overhead)),
            new(1, IterationMode.Workload, IterationStage.Actual, 1, 2, 5_000),
        ];
        InvocationTimes times = SingleInvocations.Measure(Parameters(workload: double.MaxValue, overhead: 0), Results(iterations))!;
        HdrHistogramEncoding.Decode(times.Nanoseconds).GetPercentileValue(50).Should().BeCloseTo(expected, 5);
        (times.EndTimeUtc - times.StartTimeUtc).Should().Be(TimeSpan.FromMicroseconds(5));
    }

    private static PlainHdrHistogram<ulong> Measure(long invocations, double seconds, double workload, double overhead)
    {
        Measurement iteration = new(1, IterationMode.Workload, IterationStage.Actual, 1, invocations * 2, seconds * 1e9);
        InvocationTimes times = SingleInvocations.Measure(Parameters(workload, overhead), Results([iteration]))!;
        times.OperationsPerInvoke.Should().Be(2);
        times.EndTimeUtc.Should().BeOnOrAfter(times.StartTimeUtc);
        return HdrHistogramEncoding.Decode(times.Nanoseconds);
    }

    private static EngineParameters Parameters(double workload, double overhead) => new()
    {
        OperationsPerInvoke = 2,
        WorkloadActionNoUnroll = calls => Busy(workload * calls),
        OverheadActionNoUnroll = calls => Busy(overhead * calls),
    };

    private static RunResults Results(IReadOnlyList<Measurement> iterations) => new(iterations, OutlierMode.DontRemove, default, default, 0);

    private static void Busy(double nanoseconds)
    {
        for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start).TotalNanoseconds < nanoseconds;)
        {
        }
    }
}
