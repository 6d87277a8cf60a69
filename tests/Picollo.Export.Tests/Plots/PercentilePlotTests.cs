using System.Xml;
using Picollo.Export.Plots;

namespace Picollo.Export.Tests.Plots;

public class PercentilePlotTests
{
    private static readonly HdrHistogramUnit Milliseconds = new() { Name = "ms", Ratio = 1e6 };

    [Fact]
    public void A_plot_of_two_series_matches_the_golden_file() =>
        new SvgPicture(HdrHistogramPlot.CreatePercentiles([new("before", SomeLatencies.Of(1)), new("after", SomeLatencies.Of(2))], Milliseconds, "Latency"))
            .ShouldMatchGoldenFile("percentiles");

    [Theory]
    [InlineData(0UL)]
    [InlineData(1UL)]
    [InlineData(12_345UL)]
    [InlineData(ulong.MaxValue)]
    public void One_value_is_drawn_as_a_level_line(ulong value)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(value);
        SvgPicture picture = new(HdrHistogramPlot.CreatePercentiles([new("", histogram)]));
        picture.Lines.Should().ContainSingle().Which.Should().MatchRegex("^M58 [0-9.]+H448$");
        picture.Tooltips.Should().Contain($"50 %\n: {histogram.GetPercentileValue(50).ToString("N0", CultureInfo.InvariantCulture)}");
    }

    [Fact]
    public void Plots_of_empty_histograms_and_of_no_histogram_say_so()
    {
        SvgPicture none = new(HdrHistogramPlot.CreatePercentiles([]));
        none.Texts.Should().Contain("no values");
        SvgPicture empty = new(HdrHistogramPlot.CreatePercentiles([new("idle", HdrHistogram.Create())]));
        empty.Texts.Should().Contain(["no values", "idle (no values)"]);
        SvgPicture both = new(HdrHistogramPlot.CreatePercentiles([new("idle", HdrHistogram.Create()), new("busy", SomeLatencies.Of(1))]));
        both.Texts.Should().Contain(["idle (no values)", "busy"]).And.NotContain("no values");
        both.Tooltips.Should().OnlyContain(text => text.Contains("busy") && !text.Contains("idle"));
    }

    [Fact]
    public void The_whole_range_of_values_and_counts_is_drawn()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithUInt64Storage().Create();
        histogram.Record(0, 5);
        histogram.Record(3, 1UL << 62);
        histogram.Record(ulong.MaxValue, 1UL << 40);
        SvgPicture picture = new(HdrHistogramPlot.CreatePercentiles([new("all", histogram)]));
        picture.Texts.Should().Contain(["99.99999", "value, logarithmic", "1"]).And.Contain(text => text.EndsWith('E'));
        picture.Fragment.Should().NotContain("NaN").And.NotContain("∞").And.NotContain("Infinity");
    }

    [Fact]
    public void The_size_does_not_depend_on_the_precision_and_the_range()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(5).WithMaxTrackableValue(3_600_000_000_000).Create();
        Random random = new(1);
        for (int i = 0; i < 300_000; i++)
        {
            histogram.Record((ulong)Math.Exp(random.NextDouble() * Math.Log(3.6e12)));
        }

        histogram.BucketsWithValues.Count().Should().BeGreaterThan(200_000);
        SvgPicture picture = new(HdrHistogramPlot.CreatePercentiles([new("an hour", histogram)]));
        picture.Fragment.Length.Should().BeLessThan(25_000);
        picture.Lines[0].Split('H').Should().HaveCountLessThan(2 * 352, "the resolution of the axis is half a unit");
    }

    [Fact]
    public void Hundreds_of_series_are_drawn_as_ten_lines_and_a_band()
    {
        HdrHistogram low = One(10);
        HdrHistogram high = One(90);
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series =
            [.. Enumerable.Range(0, 300).Select(i => new KeyValuePair<string, ReadOnlyHdrHistogram>($"s{i}", i % 2 == 0 ? low : high))];
        SvgPicture picture = new(HdrHistogramPlot.CreatePercentiles(series));
        picture.Lines.Should().HaveCount(2 * PlotPalette.Count);
        picture.Lines.Take(PlotPalette.Count).Distinct().Should().HaveCount(2);
        picture.Texts.Should().Contain(["s0", "s9", "range of 290 more"]).And.NotContain("s10");
        picture.Label.Should().Contain("s9 and 290 more");
        picture.Areas[0].Should().Be("M58 48H448L448 216H58Z", "the other values are between 10 and 90");
        picture.Fragment.Length.Should().BeLessThan(50_000);

        HdrHistogramUnit nanoseconds = new() { Name = "ns" };
        KeyValuePair<string, ReadOnlyHdrHistogram>[] times = [.. Enumerable.Range(0, 12).Select(i => new KeyValuePair<string, ReadOnlyHdrHistogram>($"s{i}", One(i % 2 == 0 ? 10_000_000UL : 90_000_000)))];
        SvgPicture ofTimes = new(HdrHistogramPlot.CreatePercentiles(times, nanoseconds));
        ofTimes.Areas[0].Should().Be(picture.Areas[0], "the band is in milliseconds like the axis");
    }

    [Theory]
    [InlineData("<script>alert(1)</script>"), InlineData("\"'><img src=x onerror=alert(1)>"), InlineData("]]>&amp;<!--")]
    [InlineData("</title></svg><b>"), InlineData("\0\u0001\u001b[31m\u007f\u0085\ufffe\uffff"), InlineData("\ud800 half a pair \udc00")]
    [InlineData("\u202egnp.exe\u202c"), InlineData("a name\r\nof two lines"), InlineData("名前がとても長いヒストグラムの名前がとても長いヒストグラム")]
    public void Hostile_names_remain_text(string name)
    {
        // The name is built from its code units, because a test name cannot contain all of them.
        SvgPicture picture = new(HdrHistogramPlot.CreatePercentiles([new(name, One(5))], new() { Name = name }, name));
        picture.Label.Should().NotContainAny("\u202e", "\0", "\ufffe");
        picture.Texts.Should().NotContain(text => text.Contains('\n'));
        picture.Fragment.Should().NotContain("<script").And.NotContain("<img").And.NotContain("<b>").And.NotContain("<!--");
        XmlConvert.VerifyXmlChars(picture.Fragment).Should().NotBeNull();
    }

    [Fact]
    public void A_long_name_is_shortened_and_its_tooltip_has_the_whole_name()
    {
        string name = "an endpoint " + new string('x', 100);
        SvgPicture picture = new(HdrHistogramPlot.CreatePercentiles([new(name, One(5))]));
        name = "an endpoint " + new string('x', 200);
        SvgPicture shortened = new(HdrHistogramPlot.CreatePercentiles([new(name, One(5))]));
        picture.Texts.Should().ContainInOrder("an endpoint " + new string('x', 40), new string('x', 52), "xxxxxxxx");
        picture.Texts.Should().NotContain(text => text.Contains('…'));
        shortened.Texts.Should().Contain(text => text.Contains("x…x"));
        shortened.Fragment.Should().Contain($"<title>{name}</title>");
        HdrHistogramPlot.CreatePercentiles([new(new string('x', 1_000_000), One(5))]).ToSvgElement().Length.Should().BeLessThan(20_000);
        HdrHistogramPlot.CreatePercentiles([new("a" + new string('\u0301', 1_000_000), One(5))]).ToSvgElement().Length.Should().BeLessThan(20_000);
    }

    [Fact]
    public void A_ratio_out_of_range_is_rejected()
    {
        foreach (double ratio in new[] { 0, -1, 0.99e-30, 1.01e30, double.Epsilon, double.MaxValue, double.NaN, double.PositiveInfinity, double.NegativeInfinity })
        {
            ((Action)(() => _ = new HdrHistogramUnit { Ratio = ratio })).Should().Throw<ArgumentOutOfRangeException>();
        }
    }

    internal static HdrHistogram One(ulong value)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(value, 10);
        return histogram;
    }
}
