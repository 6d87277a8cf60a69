using Picollo.Samples.Top;

namespace Picollo.Samples.Tests.Top;

public sealed class AckermannProgramTests
{
    private const string LinePattern = @"^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} Calculated `ackermann\(3, ([0-9]+)\) = ([0-9]+)` in [0-9.]+(ns|µs|ms|s)$";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_program_prints_its_results_and_then_times(bool isMulti)
    {
        using StringWriter output = new();
        new AckermannProgram(isMulti, 6).Run(output);

        string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        IEnumerable<(string, string)> results = lines[..^3].Select(line => System.Text.RegularExpressions.Regex.Match(line, LinePattern))
            .Select(match => (match.Groups[1].Value, match.Groups[2].Value));
        (string, string)[] single = [("0", "5"), ("1", "13"), ("2", "29"), ("3", "61"), ("4", "125"), ("5", "253"), ("6", "509")];
        (isMulti ? results.Order() : results).Should().Equal(isMulti ? single.SelectMany(one => new[] { one, one }) : single);
        Times.TryParse(lines, out _).Should().BeTrue();
    }

    [Theory]
    [InlineData("ackermann_single", false, 13)]
    [InlineData("ackermann_multi 0", true, 0)]
    [InlineData("ackermann_single 13", false, 13)]
    public void A_command_line_that_names_a_program_is_parsed(string line, bool isMulti, int largest)
    {
        AckermannProgram.TryParse(line.Split(' '), out AckermannProgram? program, out _).Should().BeTrue();

        program.Should().Be(new AckermannProgram(isMulti, largest));
        AckermannProgram.TryParse(program!.ToArguments(), out AckermannProgram? again, out _).Should().BeTrue();
        again.Should().Be(program);
    }

    [Theory]
    [InlineData("ackermann_multi 14", true)]
    [InlineData("ackermann_multi -1", true)]
    [InlineData("ackermann_multi 1 1", true)]
    [InlineData("worker 1 -", false)]
    public void Other_command_lines_are_rejected(string line, bool isProgram)
    {
        AckermannProgram.TryParse(line.Split(' '), out AckermannProgram? program, out string? reason).Should().Be(isProgram);
        program.Should().BeNull();
        (reason != null).Should().Be(isProgram);
    }

    [Theory]
    [InlineData(0, "0ns")]
    [InlineData(871, "871ns")]
    [InlineData(45_080, "45.08µs")]
    [InlineData(653_200_000, "653.2ms")]
    [InlineData(2_613_000_001, "2.613000001s")]
    [InlineData(62_500_000_000, "1m2.5s")]
    public void A_duration_is_printed_as_in_Go_in_a_line_of_a_log(long nanoseconds, string expected) =>
        AckermannProgram.LineOf(new DateTime(2026, 1, 2, 3, 4, 5), 13, 65_533, nanoseconds).Should()
            .Be($"2026/01/02 03:04:05 Calculated `ackermann(3, 13) = 65533` in {expected}");

    [Fact]
    public void Times_are_printed_as_in_the_shell_and_parsed_again()
    {
        Times times = new(TimeSpan.FromSeconds(71.86), TimeSpan.FromSeconds(35.95), TimeSpan.FromSeconds(0.086));

        string[] lines = times.ToString().Split(Environment.NewLine);

        lines.Should().Equal("real\t1m11.860s", "user\t0m35.950s", "sys\t0m0.086s");
        Times.TryParse(["before", .. lines], out Times? read).Should().BeTrue();
        read.Should().Be(times);
        Times.TryParse(lines[..2], out _).Should().BeFalse();
    }
}
