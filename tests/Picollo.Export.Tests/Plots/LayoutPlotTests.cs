namespace Picollo.Export.Tests.Plots;

public class LayoutPlotTests
{
    [Fact]
    public void The_picture_of_a_precision_matches_the_golden_file() =>
        new SvgPicture(HdrHistogramPlot.CreateLayout(0.06)).ShouldMatchGoldenFile("layout");

    [Fact]
    public void The_last_cell_contains_the_largest_value() =>
        new SvgPicture(HdrHistogramPlot.CreateLayout(0.1, 17)).Tooltips.Should().HaveCount(17).And.EndWith(["16 – 17, reported as 17"]);

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.001)]
    [InlineData(0.000_001)]
    public void All_values_can_be_drawn(double relativeError)
    {
        SvgPicture picture = new(HdrHistogramPlot.CreateLayout(relativeError, ulong.MaxValue, "all"));
        picture.Texts.Should().Contain(text => text.Contains("18,446,744,073,709,551,615")).And.Contain("all");
        picture.Fragment.Length.Should().BeLessThan(120_000);
        FluentActions.Invoking(() => HdrHistogramPlot.CreateLayout(0.6)).Should().Throw<ArgumentOutOfRangeException>();
    }
}
