namespace Picollo.Export.Tests.Plots;

public class DensityPlotTests
{
    [Fact]
    public void A_plot_of_two_series_matches_the_golden_file() =>
        new SvgPicture(HdrHistogramPlot.CreateDensity(
                [new("before", SomeLatencies.Of(1)), new("after", SomeLatencies.Of(2))],
                new() { Name = "ms", Ratio = 1e6 },
                "Latency"))
            .ShouldMatchGoldenFile("density");

    [Fact]
    public void The_shares_of_a_series_add_up() => Seeded.Run(20, random =>
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(random.Next(1, 4)).Create();
        for (int i = random.Next(1, 2000); i > 0; i--)
        {
            histogram.Record(random.NextMagnitude() >> random.Next(64), (ulong)random.Next(1, 100));
        }

        SvgPicture picture = new(HdrHistogramPlot.CreateDensity([new("it", histogram)]));
        double sum = picture.Tooltips.Sum(text => double.Parse(text.Split(": ")[1].TrimEnd('%', ' '), CultureInfo.InvariantCulture));
        sum.Should().BeApproximately(100, 0.5, "each of up to 88 percentages has three digits");
    });

    [Fact]
    public void Shares_of_more_than_2_to_the_64_values_add_up()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithUInt64Storage().Create();
        histogram.Record(1, ulong.MaxValue);
        histogram.Record(1_000, 1);

        SvgPicture picture = new(HdrHistogramPlot.CreateDensity([new("it", histogram)]));

        double sum = picture.Tooltips.Sum(text => double.Parse(text.Split(": ")[1].TrimEnd('%', ' '), CultureInfo.InvariantCulture));
        sum.Should().BeApproximately(100, 0.5);
    }

    [Theory]
    [InlineData(1UL)]
    [InlineData(12_345UL)]
    [InlineData(ulong.MaxValue)]
    public void One_value_fills_its_bucket_evenly(ulong value)
    {
        SvgPicture picture = new(HdrHistogramPlot.CreateDensity([new("", PercentilePlotTests.One(value))]));
        picture.Tooltips.Should().HaveCount(16).And.OnlyContain(text => text.EndsWith(": 6.25 %"));
        picture.Lines.Should().ContainSingle().Which.Should().MatchRegex("^M58 [0-9.]+H448$");
        picture.Fragment.Should().NotContain("NaN").And.NotContain("Infinity");
    }

    [Fact]
    public void Zeros_are_one_column_at_the_start()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(0, 50);
        histogram.Record(1, 25);
        histogram.Record(1000, 25);
        SvgPicture picture = new(HdrHistogramPlot.CreateDensity([new("a", histogram)], new() { Name = "ms" }));
        picture.Texts.Should().ContainInOrder("0", "1 ms", "10 ms", "100 ms", "1 s");
        picture.Tooltips[0].Should().Be("0\na: 50 %");
        picture.Tooltips.Skip(1).Should().HaveCount(16).And.NotContain(text => text.Contains("50 %"));
        picture.Tooltips[1].Should().StartWith("1 ms – 1.54 ms");

        // 50 of 60 %. The line then stays at zero until the values from 1 on.
        picture.Lines[0].Should().MatchRegex(@"^M58 58.5H[0-9.]+V217H[0-9.]+V[0-9.]+H");
    }

    [Fact]
    public void The_axis_continues_after_zeros_at_the_other_values()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(0);
        histogram.Record(1_000_000);
        histogram.Record(50_000_000);
        new SvgPicture(HdrHistogramPlot.CreateDensity([new("", histogram)], new() { Ratio = 1e6 })).Texts
            .Should().ContainInOrder("0", "1", "2", "5", "10", "20", "50");
    }

    [Fact]
    public void Zeros_alone_fill_the_only_column_and_a_series_without_zeros_has_0_percent_in_it()
    {
        SvgPicture alone = new(HdrHistogramPlot.CreateDensity([new("", PercentilePlotTests.One(0))]));
        alone.Tooltips.Should().Equal("0\n: 100 %");
        alone.Lines.Should().Equal("M58 27H448");
        SvgPicture picture = new(HdrHistogramPlot.CreateDensity(
            [new("zeros", PercentilePlotTests.One(0)), new("tens", PercentilePlotTests.One(10)), new("idle", HdrHistogram.Create())]));
        picture.Tooltips[0].Should().Be("0\nzeros: 100 %\ntens: 0 %");
        picture.Tooltips.Skip(1).Should().OnlyContain(text => text.EndsWith("zeros: 0 %\ntens: 6.25 %"));
        picture.Texts.Should().Contain("idle (no values)");
        new SvgPicture(HdrHistogramPlot.CreateDensity([])).Texts.Should().Contain("no values");
    }
}
