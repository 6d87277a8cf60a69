using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.Cpu;
using static BenchmarkDotNet.Engines.IterationMode;
using static BenchmarkDotNet.Engines.IterationStage;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class IterationSumsTests
{
    private const int Operations = 10;

    [Theory]
    [InlineData(new ulong[] { 20 }, 8)]
    [InlineData(new ulong[] { 5_000, 20, 10 }, 8)]
    [InlineData(new ulong[] { 10, 20, 30, 40 }, 7)] // the upper median of an even number
    [InlineData(new ulong[] { 2_000, 1_000, 3_000 }, 0)]
    [InlineData(new ulong[0], 10)]
    public void The_median_of_the_overhead_is_subtracted_down_to_0(ulong[] overheads, double expected) => new IterationSums(
        [.. overheads.Select(overhead => Counted(overhead)), Counted(100)], [.. overheads.Select(_ => Time(Overhead, Actual)), Time(Workload, Actual)])
        .PerOperation(0).Should().Be(expected);

    [Fact]
    public void Only_actual_iterations_of_the_measurement_count()
    {
        new IterationSums([Counted(100), Counted(60)], [Time(Workload, Actual, operations: 10), Time(Workload, Actual, operations: 30)])
            .PerOperation(0).Should().Be(4, "the mean is weighted by operations");
        new IterationSums(
            [Counted(7_000), Counted(8_000), Counted(9_000), Counted(20), Counted(100)],
            [Time(Workload, Pilot), Time(Overhead, Warmup), Time(Workload, Warmup), Time(Overhead, Actual), Time(Workload, Actual)])
            .PerOperation(0).Should().Be(8);
        new IterationSums([Counted(20), Counted(100)], [Time(Workload, Actual), Time(Overhead, Jitting), Time(Overhead, Actual), Time(Workload, Actual)])
            .PerOperation(0).Should().Be(8, "times before the measurement are ignored");
        new IterationSums([Counted(10, 200), Counted(50, 1_000)], [Time(Overhead, Actual), Time(Workload, Actual)]).PerOperation(1)
            .Should().Be(80);
        IterationSums none = new([Counted(20)], [Time(Workload, Warmup)]);
        (none.PerOperation(0), none.Cpu, new IterationSums([Counted(20)], []).PerOperation(0)).Should().Be((double.NaN, null, double.NaN));
    }

    [Fact]
    public void CPU_time_switches_and_elapsed_time_are_summed_in_the_same_way()
    {
        new IterationSums(
            [Used(100, 20, 10, 30, 500_000), Used(1_100, 220, 50, 230, 1_000_000), Used(1_100, 220, 70, 230, 3_000_000)],
            [Time(Overhead, Actual, nanoseconds: 500), Time(Workload, Actual, nanoseconds: 1_000), Time(Workload, Actual, nanoseconds: 3_000)])
            .Cpu.Should().Be(new CpuPerOperation(100, 20, 150_000, VoluntarySwitches: 5, InvoluntarySwitches: 20));
        new IterationSums([Used(100, 20, null, null, 1_000_000)], [Time(Workload, Actual)]).Cpu
            .Should().Be(new CpuPerOperation(10, 2, 100_000, null, null));
    }

    [Theory]
    [InlineData(0, 10_000, false)] // near the clock resolution of 1 µs
    [InlineData(0, 25_000, true)]
    [InlineData(960_000, 1_000_000, false)] // hardly longer than an empty workload
    [InlineData(500_000, 1_000_000, true)]
    public void Times_below_the_clock_resolution_are_null(double overhead, double workload, bool isKnown) => new IterationSums(
        [Used(100, 20, null, null, overhead), Used(100, 20, null, null, workload)], [Time(Overhead, Actual), Time(Workload, Actual)])
        .Cpu!.WallNanoseconds.HasValue.Should().Be(isKnown && (!OperatingSystem.IsWindows() || workload > 1e9));

    private static Iteration Counted(params ulong[] counts) => new(counts, null, 0);

    private static Iteration Used(long user, long kernel, long? voluntary, long? involuntary, double nanoseconds) =>
        new([], new(new CpuUsage(user, kernel), voluntary, involuntary), nanoseconds);

    private static Measurement Time(IterationMode mode, IterationStage stage, int operations = Operations, double nanoseconds = 1_000) =>
        new(1, mode, stage, 1, operations, nanoseconds);
}
