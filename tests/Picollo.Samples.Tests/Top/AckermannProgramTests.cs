using Picollo.Samples.Top;

namespace Picollo.Samples.Tests.Top;

public sealed class AckermannProgramTests
{
    private const string LinePattern = @"^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} Calculated `ackermann\(3, ([0-9]+)\) = ([0-9]+)` in [0-9.]+(ns|µs|ms|s)$";

    [Fact]
    public void Single_prints_each_result_once_in_order_and_then_times()
    {
        string[] lines = Run(new AckermannProgram(IsMulti: false, 6));

        lines[..7].Select(ResultOf).Should().Equal((0, 5), (1, 13), (2, 29), (3, 61), (4, 125), (5, 253), (6, 509));
        lines[7..].Should().HaveCount(3);
        Times.TryParse(lines, out _).Should().BeTrue();
    }

    [Fact]
    public void Multi_prints_each_result_twice()
    {
        string[] lines = Run(new AckermannProgram(IsMulti: true, 4));

        lines[..10].Select(ResultOf).Order().Should().Equal(
            (0, 5), (0, 5), (1, 13), (1, 13), (2, 29), (2, 29), (3, 61), (3, 61), (4, 125), (4, 125));
        Times.TryParse(lines, out _).Should().BeTrue();
    }

    [Theory]
    [InlineData("ackermann_single", false, 13)]
    [InlineData("ackermann_multi", true, 13)]
    [InlineData("ackermann_multi 0", true, 0)]
    [InlineData("ackermann_single 13", false, 13)]
    public void A_command_line_that_names_a_program_is_parsed(string line, bool isMulti, int largest)
    {
        AckermannProgram.TryParse(line.Split(' '), out AckermannProgram? program, out string? reason).Should().BeTrue();

        program.Should().Be(new AckermannProgram(isMulti, largest));
        reason.Should().BeNull();
        AckermannProgram.TryParse(program!.ToArguments(), out AckermannProgram? again, out _).Should().BeTrue();
        again.Should().Be(program);
    }

    [Theory]
    [InlineData("ackermann_multi 14")]
    [InlineData("ackermann_multi -1")]
    [InlineData("ackermann_multi 1 1")]
    public void An_invalid_size_is_rejected(string line)
    {
        AckermannProgram.TryParse(line.Split(' '), out AckermannProgram? program, out string? reason).Should().BeTrue();

        program.Should().BeNull();
        reason.Should().Be("usage: ackermann_multi [LARGEST], a number from 0 to 13 (default: 13)");
    }

    [Theory]
    [InlineData("single")]
    [InlineData("worker 1 -")]
    public void Other_command_lines_are_not_programs(string line) => AckermannProgram.TryParse(line.Split(' '), out _, out _).Should().BeFalse();

    [Theory]
    [InlineData(0, "0ns")]
    [InlineData(871, "871ns")]
    [InlineData(45_080, "45.08µs")]
    [InlineData(653_200_000, "653.2ms")]
    [InlineData(2_613_000_001, "2.613000001s")]
    [InlineData(62_500_000_000, "1m2.5s")]
    public void Durations_are_printed_as_in_Go(long nanoseconds, string expected) => AckermannProgram.GoText(nanoseconds).Should().Be(expected);

    [Fact]
    public void A_result_is_printed_as_a_line_of_a_log() =>
        AckermannProgram.LineOf(new DateTime(2026, 1, 2, 3, 4, 5), 13, 65_533, 2_500_000_000).Should()
            .Be("2026/01/02 03:04:05 Calculated `ackermann(3, 13) = 65533` in 2.5s");

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

    private static string[] Run(AckermannProgram program)
    {
        using StringWriter output = new();
        program.Run(output);
        return output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }

    private static (int N, int Answer) ResultOf(string line)
    {
        line.Should().MatchRegex(LinePattern);
        var match = System.Text.RegularExpressions.Regex.Match(line, LinePattern);
        return (int.Parse(match.Groups[1].Value), int.Parse(match.Groups[2].Value));
    }
}
