using Picollo.Cli.Jitter;
using Picollo.Export.Tests.Plots;
using Picollo.Metrics;

namespace Picollo.Cli.Tests.Jitter;

public class TimePlotTests
{
    private static readonly HdrHistogramUnit Microseconds = new() { Name = "µs", Ratio = 1e3 };

    [Fact]
    public void A_plot_of_two_lines_matches_the_golden_file() => Picture(
            5,
            new("CPU 0", [20_000, 21_000, 50_000, 20_000, 22_000]),
            new("CPU 1", [25_000, double.NaN, 24_000, 26_000, 25_000]))
        .ShouldMatchGoldenFile("time");

    [Fact]
    public void A_peak_of_one_column_reaches_the_top_and_is_in_its_tooltip()
    {
        double[] largest = [.. Enumerable.Repeat(20_000d, TimePlot.MaxColumns)];
        largest[100] = 80_000;

        SvgPicture picture = Picture(95, new TimePlot.Line("CPU 0", largest));

        picture.Tooltips.Should().HaveCount(TimePlot.MaxColumns);
        picture.Tooltips[100].Should().Be("50 s – 50.5 s\nCPU 0: 80 µs");
        picture.Tooltips.Where(text => text.EndsWith("80 µs", StringComparison.Ordinal)).Should().ContainSingle();
        picture.Lines[0].Should().Contain("V51H", "the axis ends at 80").And.StartWith("M58 ");
        picture.Texts.Should().Contain("largest in each 500 ms, µs");
    }

    [Fact]
    public void The_axis_ends_where_the_columns_end() =>
        Picture(5.1, new TimePlot.Line("a", [1_000, 1_000])).Lines[0].Should().MatchRegex("^M58 [0-9.]+H448$", "448 is the right edge");

    [Fact]
    public void Peaks_a_thousand_times_the_median_make_the_axis_logarithmic() =>
        Picture(3, new TimePlot.Line("a", [10_000, 10_000, 11_000_000])).Texts.Should().Contain("largest in each 1 s, time, logarithmic");

    [Theory]
    [InlineData(0d)]
    [InlineData(double.NaN)]
    public void Zeros_and_no_values_are_drawn(double value)
    {
        SvgPicture picture = Picture(1, new TimePlot.Line("a", [value]));

        picture.Fragment.Should().NotContain("NaN").And.NotContain("Infinity");
        picture.Texts.Contains("no values").Should().Be(double.IsNaN(value));
    }

    [Fact]
    public void More_than_ten_lines_share_a_band()
    {
        SvgPicture picture = Picture(2, [.. Enumerable.Range(0, 16).Select(i => new TimePlot.Line($"CPU {i}", [1_000 + i, 2_000 + i]))]);

        picture.Texts.Should().Contain(["CPU 9", "range of 6 more"]).And.NotContain("CPU 10");
    }

    private static SvgPicture Picture(double seconds, params TimePlot.Line[] lines) =>
        new(TimePlot.Make(lines, seconds, Microseconds, "Latency"));
}
