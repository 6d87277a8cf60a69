using Picollo.Cli.Stat;
using Picollo.Cpu;
using Picollo.Diagnostics;

namespace Picollo.Cli.Tests.Stat;

public class CommandSeriesTests
{
    [Fact]
    public void Each_measure_has_one_value_per_run()
    {
        CommandSeries series = new();
        series.Add(Run(1000, 5));
        series.Add(Run(3000, 7));

        series.Runs.Should().HaveCount(2);
        series.Measures.Select(measure => (measure.Name, measure.Unit, measure.Histogram.TotalCount, measure.Histogram.GetSummary().Mean)).Should().Equal(
            ("elapsedNanoseconds", CommandUnit.Nanoseconds, 2, 4000),
            ("cpuNanoseconds", CommandUnit.Nanoseconds, 2, 4003),
            ("userNanoseconds", CommandUnit.Nanoseconds, 2, 2001),
            ("kernelNanoseconds", CommandUnit.Nanoseconds, 2, 2002),
            ("maxResidentBytes", CommandUnit.Bytes, 2, 2003),
            ("minorPageFaults", CommandUnit.Count, 2, 2004),
            ("majorPageFaults", CommandUnit.Count, 2, 2005),
            ("voluntaryContextSwitches", CommandUnit.Count, 2, 2006),
            ("involuntaryContextSwitches", CommandUnit.Count, 2, 2007),
            ("task-clock", CommandUnit.Nanoseconds, 2, 2000),
            ("cycles", CommandUnit.Count, 2, 6));
        series["maxResidentBytes"]!.Title.Should().Be("max resident");
        series["cycles"]!.Title.Should().Be("cycles");
        series["cycles"]!.Values.Should().Equal(5, 7);
    }

    [Fact]
    public void A_measure_is_found_by_its_name()
    {
        CommandSeries series = new();
        series["elapsedNanoseconds"].Should().BeNull();
        series.Add(Run(1, 1));

        series["elapsedNanoseconds"]!.Histogram.TotalCount.Should().Be(1);
        series["ElapsedNanoseconds"].Should().BeNull();
    }

    [Fact]
    public void An_unknown_size_is_not_a_measure()
    {
        CommandSeries series = new();
        CommandRun run = Run(1, 1);
        series.Add(new CommandRun { ElapsedNanoseconds = 1, ExitCode = 0, Usage = run.Usage with { MaxResidentBytes = 0, MinorPageFaults = -1 } });

        series["maxResidentBytes"].Should().BeNull();
        series["minorPageFaults"]!.Histogram.GetSummary().Mean.Should().Be(0, "a negative difference counts as 0");
    }

    [Fact]
    public void The_effect_between_two_series_has_the_sign_of_the_change()
    {
        CommandSeries before = new(), after = new();
        foreach (long value in (long[])[100, 102, 104])
        {
            before.Add(Run(value, 1));
            after.Add(Run(value + 10, 1));
        }

        before["task-clock"]!.Histogram.GetSummary().GetEffectSize(after["task-clock"]!.Histogram.GetSummary()).Should().BeApproximately(10 / Math.Sqrt(8.0 / 3), 1e-9);
    }

    private static CommandRun Run(long value, ulong cycles) => new()
    {
        ElapsedNanoseconds = 2 * value,
        ExitCode = 0,
        Usage = new ResourceUsage
        {
            Cpu = new CpuUsage(value + 1, value + 2),
            MaxResidentBytes = value + 3,
            MinorPageFaults = value + 4,
            MajorPageFaults = value + 5,
            VoluntaryContextSwitches = value + 6,
            InvoluntaryContextSwitches = value + 7,
        },
        Counters = [new("task-clock", (ulong)value, 1, isTime: true), new("cycles", cycles, 1, isTime: false)],
    };
}
