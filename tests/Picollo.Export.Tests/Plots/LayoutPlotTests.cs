using Picollo.Export;

namespace Picollo.Export.Tests.Plots;

public class LayoutPlotTests
{
    [Fact]
    public void The_picture_of_a_precision_matches_the_golden_file() =>
        new SvgPicture(HdrHistogramPlot.CreateLayout(0.06)).ShouldMatchGoldenFile("layout");

    [Fact]
    public void Each_bucket_is_a_cell_with_its_values()
    {
        SvgPicture picture = new(HdrHistogramPlot.CreateLayout(0.1));
        picture.Tooltips.Should().HaveCount(6 * 8).And.StartWith(["0", "1", "2"]).And.EndWith(["240 – 255, reported as 248"]);
        picture.Texts.Should().Contain(["8 – 15: exact", "16 – 31: step 2, ±1", "128 – 255: step 16, ±8", "8 buckets per block, precision 6.25 %"]);
    }

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
    }

    [Fact]
    public void Arguments_are_checked()
    {
        foreach (double relativeError in new[] { 0, 0.6, double.NaN })
        {
            ((Action)(() => HdrHistogramPlot.CreateLayout(relativeError))).Should().Throw<ArgumentOutOfRangeException>();
        }

        ((Action)(() => HdrHistogramPlot.CreateLayout(0.1, title: null!))).Should().Throw<ArgumentNullException>();
    }
}
