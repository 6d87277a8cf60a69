using Picollo.Cli.Jitter;
using Picollo.Diagnostics;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>The exact lines and tables of artificial measurements.</summary>
public class JitterTextTests
{
    [Fact]
    public void A_line_has_the_format_of_jitterdebugger()
    {
        JitterText text = Text(inNanoseconds: false);

        text.Line(0, 0, 1234, new(3222, 0, 1_999, 1_031.4, 9_012, 1_500)).Should().Be("T: 0 ( 1234) A: 0 C:      3222 Min:         1 Avg:    1.03 Max:         9");
        text.Line(15, 31, 313607, new(1, 0, 14_000, 14_006, 14_000, 1_500)).Should().Be("T:15 (313607) A:31 C:         1 Min:        14 Avg:   14.01 Max:        14");
        text.Line(0, 0, 71, default)
            .Should().Be("T: 0 (   71) A: 0 C:         0 Min:         0 Avg:    0.00 Max:         0", "there was no wake-up yet");
        Text(inNanoseconds: true).Line(0, 0, 1234, new(3222, 0, 1_999, 1_031.4, 9_012, 1_500))
            .Should().Be("T: 0 ( 1234) A: 0 C:      3222 Min:      1999 Avg: 1031.40 Max:      9012");
    }

    [Fact]
    public void Lines_match_the_golden_files()
    {
        JitterResult two = ArtificialResults.Result(ArtificialResults.Cpu(0), ArtificialResults.Cpu(12));
        Shown(two).ShouldBeApproved("Jitter/Golden/two.txt");
        Shown(two, inNanoseconds: true).ShouldBeApproved("Jitter/Golden/nanoseconds.txt");
        Shown(ArtificialResults.Result(ArtificialResults.Cpu(3))).ShouldBeApproved("Jitter/Golden/one.txt");
        Shown(ArtificialResults.Result(ArtificialResults.Cpu(0, count: 0), ArtificialResults.Cpu(1, count: 0))).ShouldBeApproved("Jitter/Golden/none.txt");
        Shown(ArtificialResults.Full).ShouldBeApproved("Jitter/Golden/break.txt");
    }

    [Theory]
    [InlineData(null, null, "is marked and is stopped")]
    [InlineData(null, "It is read-only.", "is marked and is not stopped: It is read-only.")]
    [InlineData("Tracing is off.", null, "is not marked and is stopped: Tracing is off.")]
    [InlineData("No tracefs.", "No tracefs.", "is not marked and is not stopped: No tracefs.")]
    [InlineData("No mark.", "No stop.", "is not marked and is not stopped: No mark. No stop.")]
    public void A_break_reports_whether_the_trace_is_marked_and_stopped(string? markReason, string? stopReason, string expected) =>
        Text(inNanoseconds: false).BreakLine(new JitterBreak(1, 150_000, markReason, stopReason))
            .Should().Be($"stopped by a latency of 150.0 us on CPU 1; the kernel's trace {expected}");

    [Fact]
    public void Percentiles_are_within_the_exact_extremes()
    {
        // A single value below the midpoint of its bucket.
        CpuResult cpu = ArtificialResults.Cpu(0, count: 1);
        ulong latency = cpu.Histogram.GetBucket(1_000_000_000).Start;
        Metrics.HdrHistogram histogram = Metrics.HdrHistogram.Create();
        histogram.Record(latency);

        new CpuResult(0, 1, new(1, 0, latency, latency, latency, latency), histogram).GetPercentiles().Should().OnlyContain(value => value == latency);
    }

    [Fact]
    public void The_total_weights_CPUs_by_their_counts()
    {
        Metrics.HdrHistogram none = Metrics.HdrHistogram.Create();
        CpuResult busy = new(0, 1, new(300, 1, 10, 20, 50, 0), none);
        CpuResult idle = new(1, 2, new(100, 2, 30, 100, 400, 0), none);
        CpuResult silent = new(2, 3, new(0, 4, 0, 0, 0, 0), none);

        CpuResult.Total([busy, idle, silent]).Status.Should().Be(new CpuJitterStatus(400, 7, 10, 40, 400, 0));
    }

    [Fact]
    public void On_a_terminal_with_enough_rows_lines_are_updated_in_place_and_truncated()
    {
        StringWriter output = new() { NewLine = "\n" };
        LinesInPlace lines = new(output);

        lines.Show(["one", "two two"], (6, 24));
        lines.Show(["ONE", "TWO"], (6, 24));
        lines.Leave();
        lines.Show(["one", "two"], (6, 24));
        lines.Leave();
        lines.Show(["one", "two"], (80, 2));
        lines.Show(["one", "two"], null);

        output.ToString().Should().Be("one\e[K\ntwo t\e[K\n\e[J" + "\r\e[2AONE\e[K\nTWO\e[K\n\e[J" + "one\e[K\ntwo\e[K\n\e[J" + "one\ntwo\none\ntwo\n");
    }

    [Fact]
    public void Notes_are_written_to_standard_error_in_80_columns()
    {
        StringWriter error = new() { NewLine = "\n" };
        JitterText report = new(TextWriter.Null, error, inNanoseconds: false, () => null);

        report.Note($"x\e[31m {string.Join(' ', Enumerable.Repeat("word", 30))}");

        error.ToString().Should().StartWith("picollo: x?[31m word word").And.NotContain("\e");
        error.ToString().TrimEnd('\n').Split('\n').Should().HaveCountGreaterThan(1).And.OnlyContain(line => line.Length <= 80);
    }

    private static JitterText Text(bool inNanoseconds) => new(TextWriter.Null, TextWriter.Null, inNanoseconds, () => null);

    private static string Shown(JitterResult result, bool inNanoseconds = false)
    {
        StringWriter output = new() { NewLine = "\n" };
        JitterText report = new(output, TextWriter.Null, inNanoseconds, () => null);
        report.Begin(result.Cpus);
        report.End(result);
        output.ToString().Split('\n').Should().OnlyContain(line => line.Length <= 80);
        return output.ToString();
    }
}
