namespace Picollo.Export.Tests.Plots;

public class DifferencePlotTests
{
    [Fact]
    public void A_difference_matches_the_golden_file() =>
        new SvgPicture(HdrHistogramPlot.CreateDifference(
                new("before", SomeLatencies.Of(1)),
                new("after", SomeLatencies.Of(2)),
                new() { Name = "ms", Ratio = 1e6 },
                "Latency"))
            .ShouldMatchGoldenFile("difference");

    [Fact]
    public void Increases_and_decreases_have_different_labels_and_colors()
    {
        HdrHistogram before = HdrHistogram.Create();
        before.Record(100, 50);
        before.Record(200, 50);
        HdrHistogram after = HdrHistogram.Create();
        after.Record(90, 50);
        after.Record(250, 50);
        SvgPicture picture = new(HdrHistogramPlot.CreateDifference(new("v1", before), new("v2", after), new() { Name = "ms" }));
        picture.Tooltips.Should().Contain("50 %\n100 ms → 90 ms\n-10 ms, -10.0 %").And.Contain("75 %\n200 ms → 250 ms\n+50 ms, +25.0 %");
        picture.Texts.Should().Contain(["difference, ms", "difference, %", "v2 is higher", "v2 is lower"]);
        picture.Areas.Should().HaveCount(4, "there is an increase and a decrease in each of the two charts");
    }

    [Theory]
    [InlineData(5, 5, "\n5 → 5\n0, 0.0 %")]
    [InlineData(0, 5, "\n0 → 5\n+5, –")]
    [InlineData(ulong.MaxValue, 0, ", -100.0 %")]
    public void Equal_and_extreme_values_are_compared_by_level_lines(ulong before, ulong after, string tooltip)
    {
        SvgPicture picture = new(HdrHistogramPlot.CreateDifference(new("a", PercentilePlotTests.One(before)), new("b", PercentilePlotTests.One(after))));
        picture.Tooltips.Should().OnlyContain(text => text.EndsWith(tooltip));
        picture.Lines[0].Should().MatchRegex("^M58 [0-9.]+H448$");
        picture.Fragment.Should().NotContain("NaN").And.NotContain("Infinity");
    }

    [Fact]
    public void An_empty_histogram_cannot_be_compared()
    {
        SvgPicture picture = new(HdrHistogramPlot.CreateDifference(new("a", HdrHistogram.Create()), new("b", PercentilePlotTests.One(5))));
        picture.Texts.Should().Contain("nothing to compare");
        picture.Tooltips.Should().BeEmpty();
    }
}
