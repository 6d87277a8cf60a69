using Picollo.Samples.Precision;

namespace Picollo.Samples.Tests;

public sealed class CpuPrecisionTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(20);

    [Fact]
    public void Steps_are_the_advances_of_a_clock_and_a_clock_that_goes_backwards_has_none()
    {
        long reads = 0;

        Steps steps = StepMeter.Measure(() => reads++ / 4 * 250, Short), backwards = StepMeter.Measure(() => -reads++, Short);

        steps.Histogram.BucketsWithValues.Should().ContainSingle("each step is 250").Which.Start.Should().Be(250);
        steps.Histogram.TotalCount.Should().BeCloseTo((ulong)steps.Reads / 4, 1);
        backwards.Histogram.TotalCount.Should().Be(0);
    }

    [Fact]
    public void Every_reader_has_a_row_in_the_overview_and_a_table_of_percentiles()
    {
        using StringWriter output = new();

        Program.Run(["20"], output).Should().Be(0);
        Program.Run(["x"], new StringWriter()).Should().Be(2);

        string[] lines = output.ToString().Split(Environment.NewLine);
        string[][] rows = MarkdownRows.Of(lines);
        Reader.All.Should().OnlyContain(reader => rows.Count(row => row[0] == reader.Name && row.Length == 5) == 1);
        rows.Row("Linux, ARMv7 H3 CPU, 1.50GHz, kernel 3.4")[1].Should().Be("10,000");
        lines.Where(line => line.StartsWith("##### ", StringComparison.Ordinal)).Skip(2).Should().Equal(
            Reader.All.Select(reader => $"##### Steps of {reader.Name}, ns"), "the overview and the document's table come first");
        rows.Count(row => row[0] == "99.999").Should().Be(Reader.All.Count);
    }
}
