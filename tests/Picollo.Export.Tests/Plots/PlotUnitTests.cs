using Picollo.Export.Plots;

namespace Picollo.Export.Tests.Plots;

public class PlotUnitTests
{
    private static readonly HdrHistogramUnit Nanoseconds = new() { Name = "ns" };

    [Theory]
    [InlineData("ns", 1, 30_000_000, "ms", 30), InlineData("ns", 1, 999, "ns", 999), InlineData("ns", 1, 1000, "µs", 1)]
    [InlineData("ns", 1, 0, "ns", 0), InlineData("nanoseconds", 1, 7_200_000_000_000, "s", 7200), InlineData("ms", 1e6, 2_249, "µs", 2.249)]
    [InlineData("us", 1000, 30_000_000, "ms", 30), InlineData("seconds", 1e9, 1_500, "µs", 1.5), InlineData("s", 1, 90, "s", 90)]
    [InlineData("ps", 1, 52_000, "ns", 52), InlineData("ms", 1, 0.5, "µs", 500), InlineData("bytes", 1, 30_000_000, "bytes", 30_000_000)]
    [InlineData("MS", 1, 30_000_000, "MS", 30_000_000), InlineData("", 1e6, 30_000_000, "", 30)]
    public void A_unit_of_time_scales_with_the_values(string name, double ratio, double recorded, string expected, double value)
    {
        PlotUnit unit = new PlotUnit(new() { Name = name, Ratio = ratio }).For(recorded);
        unit.Name.Should().Be(expected);
        (recorded / unit.Ratio).Should().BeApproximately(value, value * 1e-12);
    }

    [Theory]
    [InlineData(30_000_000, "ms", "0 10 20 30")]
    [InlineData(980_000_000, "s", "0 0.25 0.5 0.75 1")]
    [InlineData(4_000_000_000_000, "s", "0 1k 2k 3k 4k")]
    public void Times_are_scaled_by_their_unit_and_ticks_have_no_suffix(double largest, string name, string ticks)
    {
        (PlotUnit unit, PlotAxis axis) = new PlotUnit(Nanoseconds).Scale(largest, unit => PlotAxis.Linear(0, largest / unit.Ratio, 4));
        unit.Name.Should().Be(name);
        string.Join(' ', axis.Ticks.Select(tick => tick.Label)).Should().Be(ticks);
    }

    [Fact]
    public void Times_have_six_digits_and_other_values_have_all_digits()
    {
        PlotUnit time = new(Nanoseconds);
        time.Format(0).Should().Be("0");
        time.Format(999).Should().Be("999 ns");
        time.Format(30_211_071).Should().Be("30.2111 ms");
        time.Format(123_456_789_012_345).Should().Be("123,457 s");
        time.FormatDifference(-1500).Should().Be("-1.5 µs");
        time.FormatDifference(1500).Should().Be("+1.5 µs");
        time.FormatDifference(0).Should().Be("0");
        PlotUnit bytes = new(new() { Name = "bytes" });
        bytes.Format(30_211_071).Should().Be("30,211,071 bytes");
        bytes.FormatDifference(-1500).Should().Be("-1,500 bytes");
        bytes.FormatDifference(7).Should().Be("+7 bytes");
        new PlotUnit(new()).Format(5).Should().Be("5");
    }

    [Fact]
    public void A_plot_of_nanoseconds_shows_milliseconds_if_they_suit_the_values()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(10_000_000, 50);
        histogram.Record(30_000_000, 50);
        SvgPicture picture = new(HdrHistogramPlot.CreatePercentiles([new("a", histogram)], Nanoseconds));
        picture.Texts.Should().ContainInOrder("ms", "0", "10", "20", "30").And.NotContain(text => text.Contains('M'));
        picture.Tooltips[0].Should().Be("0 %\na: 10.0024 ms");

        histogram.Record(30_000_000_000);
        new SvgPicture(HdrHistogramPlot.CreatePercentiles([new("a", histogram)], Nanoseconds)).Texts
            .Should().ContainInOrder("time, logarithmic", "10 ms", "100 ms", "1 s", "10 s", "100 s");
        new SvgPicture(HdrHistogramPlot.CreateDifference(new("a", histogram), new("b", PercentilePlotTests.One(1_000)), Nanoseconds)).Texts
            .Should().Contain("difference, ms");
    }
}
