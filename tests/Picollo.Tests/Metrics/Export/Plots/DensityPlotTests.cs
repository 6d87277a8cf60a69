using System.Globalization;
using Picollo.Metrics;
using Picollo.Metrics.Export;

namespace Picollo.Tests.Metrics.Export.Plots;

public class DensityPlotTests
{
    [Fact]
    public void A_plot_of_two_series_is_the_approved_one() =>
        new SvgPicture(HdrHistogramPlot.OfDensity(
                [new("before", PercentilePlotTests.Latencies(1)), new("after", PercentilePlotTests.Latencies(2))],
                new() { Title = "Latency", Unit = "ms", ValueUnitRatio = 1e6 }))
            .ShouldBeTheApproved("density");

    [Fact]
    public void The_shares_of_a_series_add_up() => Seeded.Run(20, random =>
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(random.Next(1, 4)).Create();
        for (int i = random.Next(1, 2000); i > 0; i--)
        {
            histogram.Record(random.NextMagnitude() >> random.Next(64), (ulong)random.Next(1, 100));
        }

        SvgPicture picture = new(HdrHistogramPlot.OfDensity([new("it", histogram)]));
        double sum = picture.Tooltips.Sum(text => double.Parse(text.Split(": ")[1].TrimEnd('%', ' '), CultureInfo.InvariantCulture));
        sum.Should().BeApproximately(100, 0.5, "each of up to 88 shares is told with three digits");
    });

    [Theory]
    [InlineData(0UL)]
    [InlineData(1UL)]
    [InlineData(12_345UL)]
    [InlineData(ulong.MaxValue)]
    public void One_value_fills_its_bucket_evenly(ulong value)
    {
        SvgPicture picture = new(HdrHistogramPlot.OfDensity([new("", PercentilePlotTests.One(value))]));
        picture.Tooltips.Should().HaveCount(16);
        picture.Lines.Should().ContainSingle();
        picture.Fragment.Should().NotContain("NaN").And.NotContain("Infinity");
    }

    [Fact]
    public void Zero_stands_at_the_beginning()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(0, 50);
        histogram.Record(1000, 50);
        SvgPicture picture = new(HdrHistogramPlot.OfDensity([new("", histogram)]));
        picture.Texts.Should().ContainInOrder("0", "1", "10", "100", "1k");
        picture.Lines.Single().Should().StartWith("M58 ").And.NotStartWith("M58 214", "half of the values are 0");
    }

    [Fact]
    public void Empty_histograms_and_none_at_all_say_so()
    {
        new SvgPicture(HdrHistogramPlot.OfDensity([])).Texts.Should().Contain("no values");
        new SvgPicture(HdrHistogramPlot.OfDensity([new("idle", HdrHistogram.Create())])).Texts.Should().Contain("idle (no values)");
    }

    [Fact]
    public void Thousands_of_series_are_ten_lines_and_a_band()
    {
        HdrHistogram low = PercentilePlotTests.Latencies(1);
        HdrHistogram high = PercentilePlotTests.Latencies(2);
        SvgPicture picture = new(HdrHistogramPlot.OfDensity(
            [.. Enumerable.Range(0, 1000).Select(i => new HdrHistogramSeries($"s{i}", i % 2 == 0 ? low : high))]));
        picture.Texts.Should().Contain(["s9", "range of 990 more"]).And.NotContain("s10");
        picture.Areas.Should().HaveCount(2, "the band and its sample in the legend");
        picture.Fragment.Length.Should().BeLessThan(80_000);
    }
}
