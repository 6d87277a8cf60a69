using Picollo.Cli.Stat;
using Picollo.Diagnostics;

namespace Picollo.Cli.Tests.Stat;

public class CommandSeriesTests
{
    [Fact]
    public void An_unknown_size_is_not_a_measure()
    {
        CommandSeries series = new();
        series.Add(new CommandRun { ElapsedNanoseconds = 1, ExitCode = 0, Usage = StatTextTests.Run(1).Usage with { MaxResidentBytes = 0, MinorPageFaults = -1 } });

        series["maxResidentBytes"].Should().BeNull();
        series["minorPageFaults"]!.Histogram.GetSummary().Mean.Should().Be(0, "a negative difference counts as 0");
    }

    [Fact]
    public void Numbers_have_four_or_three_digits_and_full_counts_all()
    {
        foreach ((double value, CommandUnit unit, string four, string three) in ((double, CommandUnit, string, string)[])
        [
            (0, CommandUnit.Count, "0", "0"), (75.6, CommandUnit.Count, "75.60", "75.6"),
            (1_234_567, CommandUnit.Count, "1.235M", "1.23M"), (999_960, CommandUnit.Count, "1.000M", "1.00M"),
            (12_345_678, CommandUnit.Nanoseconds, "12.35 ms", "12.3 ms"), (1_663_000, CommandUnit.Bytes, "1.586 MiB", "1.59 MiB"),
        ])
        {
            (unit.Short(value), unit.Short(value, 3)).Should().Be((four, three));
        }

        (CommandUnit.Count.Full(ulong.MaxValue), CommandUnit.Nanoseconds.Full(1_500_000))
            .Should().Be(("18,446,744,073,709,551,615", "1.500 ms"));
    }
}
