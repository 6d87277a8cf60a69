using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.Cpu;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class IterationSumsTests
{
    private const int Operations = 10;

    [Fact]
    public void The_mean_of_the_workload_is_weighted_by_operations()
    {
        IterationSums sums = new(
            [Counted(100), Counted(60)],
            [Time(IterationMode.Workload, IterationStage.Actual, operations: 10), Time(IterationMode.Workload, IterationStage.Actual, operations: 30)]);
        sums.PerOperation(0).Should().Be(4);
    }

    [Theory]
    [InlineData(new ulong[] { 20 }, 8)]
    [InlineData(new ulong[] { 5_000, 20, 10 }, 8)]
    [InlineData(new ulong[] { 10, 20, 30, 40 }, 7)] // the upper median of an even number
    [InlineData(new ulong[] { 2_000, 1_000, 3_000 }, 0)]
    [InlineData(new ulong[0], 10)]
    public void The_median_of_the_overhead_is_subtracted_down_to_0(ulong[] overheads, double expected)
    {
        IterationSums sums = new(
            [.. overheads.Select(overhead => Counted(overhead)), Counted(100)],
            [.. overheads.Select(_ => Time(IterationMode.Overhead, IterationStage.Actual)), Time(IterationMode.Workload, IterationStage.Actual)]);
        sums.PerOperation(0).Should().Be(expected);
    }

    [Fact]
    public void Only_actual_iterations_count()
    {
        IterationSums sums = new(
            [Counted(7_000), Counted(8_000), Counted(9_000), Counted(20), Counted(100)],
            [
                Time(IterationMode.Workload, IterationStage.Pilot), Time(IterationMode.Overhead, IterationStage.Warmup), Time(IterationMode.Workload, IterationStage.Warmup),
                Time(IterationMode.Overhead, IterationStage.Actual), Time(IterationMode.Workload, IterationStage.Actual),
            ]);
        sums.PerOperation(0).Should().Be(8);
    }

    [Fact]
    public void Times_before_the_measurement_are_ignored()
    {
        IterationSums sums = new(
            [Counted(20), Counted(100)],
            [
                Time(IterationMode.Workload, IterationStage.Actual), Time(IterationMode.Overhead, IterationStage.Jitting),
                Time(IterationMode.Overhead, IterationStage.Actual), Time(IterationMode.Workload, IterationStage.Actual),
            ]);
        sums.PerOperation(0).Should().Be(8);
    }

    [Fact]
    public void Without_iterations_there_is_no_result()
    {
        IterationSums sums = new([Counted(20)], [Time(IterationMode.Workload, IterationStage.Warmup)]);
        sums.PerOperation(0).Should().Be(double.NaN);
        sums.Cpu.Should().BeNull();
        new IterationSums([Counted(20)], []).PerOperation(0).Should().Be(double.NaN);
    }

    [Fact]
    public void Each_counter_has_its_own_sum()
    {
        IterationSums sums = new([Counted(10, 200), Counted(50, 1_000)], [Time(IterationMode.Overhead, IterationStage.Actual), Time(IterationMode.Workload, IterationStage.Actual)]);
        sums.PerOperation(0).Should().Be(4);
        sums.PerOperation(1).Should().Be(80);
    }

    [Fact]
    public void CPU_time_switches_and_elapsed_time_are_summed_in_the_same_way()
    {
        IterationSums sums = new(
            [
                new([], new(new CpuUsage(100, 20), 10, 30), 500_000),
                new([], new(new CpuUsage(1_100, 220), 50, 230), 1_000_000), new([], new(new CpuUsage(1_100, 220), 70, 230), 3_000_000),
            ],
            [
                Time(IterationMode.Overhead, IterationStage.Actual, nanoseconds: 500),
                Time(IterationMode.Workload, IterationStage.Actual, nanoseconds: 1_000), Time(IterationMode.Workload, IterationStage.Actual, nanoseconds: 3_000),
            ]);
        sums.Cpu.Should().Be(new CpuPerOperation(100, 20, 150_000, VoluntarySwitches: 5, InvoluntarySwitches: 20));
    }

    [Fact]
    public void Unknown_context_switches_are_null()
    {
        IterationSums sums = new([new([], new(new CpuUsage(100, 20), null, null), 1_000_000)], [Time(IterationMode.Workload, IterationStage.Actual)]);
        sums.Cpu.Should().Be(new CpuPerOperation(10, 2, 100_000, null, null));
    }

    [Theory]
    [InlineData(0, 10_000, false)] // near the clock resolution of 1 µs
    [InlineData(0, 25_000, true)]
    [InlineData(960_000, 1_000_000, false)] // hardly longer than an empty workload
    [InlineData(500_000, 1_000_000, true)]
    public void Times_below_the_clock_resolution_are_null(double overhead, double workload, bool isKnown)
    {
        ProcessUsage usage = new(new CpuUsage(100, 20), null, null);
        IterationSums sums = new(
            [new([], usage, overhead), new([], usage, workload)],
            [Time(IterationMode.Overhead, IterationStage.Actual), Time(IterationMode.Workload, IterationStage.Actual)]);
        sums.Cpu!.WallNanoseconds.HasValue.Should().Be(isKnown && (!OperatingSystem.IsWindows() || workload > 1e9));
    }

    private static Iteration Counted(params ulong[] counts) => new(counts, null, 0);

    private static Measurement Time(IterationMode mode, IterationStage stage, int operations = Operations, double nanoseconds = 1_000) =>
        new(1, mode, stage, 1, operations, nanoseconds);
}
