using Picollo.Cli.Hist;
using Picollo.Metrics;

namespace Picollo.Cli.Tests.Hist;

public class PercentileChartTests
{
    [Fact]
    public void A_label_has_three_digits() => ((double[])
    [
        0, 0.0000123, 0.0123, 0.12345, 1, 9.994, 9.996, 99.94, 999.4, 999.5, 999_936, 1_234_567, 18_446_744_073_709_551_615d, 1.5e22,
    ]).Select(PercentileChart.Short)
        .Should().Equal("0", "1.23E-5", "0.0123", "0.1235", "1", "9.99", "10", "99.9", "999", "1k", "1M", "1.23M", "18.4E", "1.5E+4E");

    [Theory]
    [InlineData(20)]
    [InlineData(33)]
    [InlineData(80)]
    [InlineData(200)]
    public void A_chart_is_as_wide_as_the_terminal_up_to_80_columns(int width) => Seeded.Run(100, random =>
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record((ulong)random.NextInt64() >> random.Next(64), 1UL << random.Next(30));
        histogram.Record(Math.Max((ulong)random.NextInt64() >> random.Next(64), 1), 1); // not only zeros, because their axis ends at 1

        string[] lines = Draw(histogram, width);

        lines.Should().HaveCount(13).And.OnlyContain(line => line.Length <= Math.Min(width, 80));
        lines[11].Should().HaveLength(Math.Min(width, 80));
        lines[10].Length.Should().Be(Math.Min(width, 80), "the lowest row is full, because every rank has a value");
        lines[1].Should().EndWith("█", "the largest value is on the right");
    });

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(ulong.MaxValue)]
    public void A_single_value_can_be_drawn_also_next_to_an_empty_histogram(ulong value)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(value);

        Draw(histogram, 80)[10].Should().Contain(value == 0 ? "▁▁▁" : "███");
        Draw(HdrHistogram.Create(), 80, histogram)[10].Should().EndWith("┤");
    }

    [Theory]
    [InlineData(24, 0, 13)]
    [InlineData(24, 1, 11)]
    [InlineData(12, 0, 11)]
    [InlineData(5, 0, 6)]
    [InlineData(500, 1, 13)]
    public void All_charts_together_fit_the_height_of_the_terminal(int height, int others, int lines)
    {
        HdrHistogram one = HdrHistogram.Create();
        one.Record([1, 500, 1000]);

        string[] chart = Draw(one, 80, height, [.. Enumerable.Repeat(one, others)]);

        chart.Should().HaveCount(lines);
        chart[1].Should().StartWith("       1k ┤");
        chart[^3].Should().StartWith("        0 ┤▁");
    }

    private static string[] Draw(HdrHistogram histogram, int width, params HdrHistogram[] others) => Draw(histogram, width, null, others);

    private static string[] Draw(HdrHistogram histogram, int width, int? height, params HdrHistogram[] others)
    {
        using StringWriter text = new() { NewLine = "\n" };
        new PercentileChart([histogram, .. others], 1, width, height).Write(text, histogram, "x");
        return text.ToString().TrimEnd('\n').Split('\n');
    }
}
