namespace Picollo.Export.Tests.Plots;

public class DistributionPlotTests
{
    [Fact]
    public void The_density_is_above_the_percentiles()
    {
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = [new("before", SomeLatencies.Of(1)), new("after", SomeLatencies.Of(2))];
        HdrHistogramUnit unit = new() { Name = "ms", Ratio = 1e6 };
        SvgPicture density = new(HdrHistogramPlot.CreateDensity(series, unit, "Latency"));
        SvgPicture percentiles = new(HdrHistogramPlot.CreatePercentiles(series, unit, "Latency"));

        SvgPicture both = new(HdrHistogramPlot.CreateDistribution(series, unit, "Latency"));

        both.Label.Should().Be("Latency: density and percentile distribution of before, after");
        both.Tooltips.Should().Equal([.. density.Tooltips, .. percentiles.Tooltips]);
        // The title and the legend appear once.
        both.Texts.Should().Equal([.. density.Texts.SkipLast(2), .. percentiles.Texts.Skip(1)]);
        both.Lines.Should().HaveCount(density.Lines.Count + percentiles.Lines.Count - series.Length).And.Contain(density.Lines[0]);
    }
}
