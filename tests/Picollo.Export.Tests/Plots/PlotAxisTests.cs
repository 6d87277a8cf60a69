using System.Text.RegularExpressions;
using Picollo.Export.Plots;

namespace Picollo.Export.Tests.Plots;

public class PlotAxisTests
{
    [Theory]
    [InlineData(0, 10, "0 2 4 6 8 10"), InlineData(0, 123, "0 25 50 75 100 125"), InlineData(0, 0, "0 0.2 0.4 0.6 0.8 1")]
    [InlineData(-7, 12, "-10 -5 0 5 10 15"), InlineData(19_000, 25_500, "18k 20k 22k 24k 26k")]
    [InlineData(1_000_000_000, 1_000_000_300, "1G 1.0000001G 1.0000002G 1.0000003G")]
    [InlineData(0, 0.0042, "0 0.001 0.002 0.003 0.004 0.005"), InlineData(0, 18_446_744_073_709_551_615.0, "0 5E 10E 15E 20E")]
    public void A_linear_axis_has_round_numbers(double min, double max, string ticks) =>
        LabelsOf(PlotAxis.Linear(min, max, 5)).Should().Be(ticks);

    [Theory]
    [InlineData(1, 1000, "1 10 100 1k")]
    [InlineData(1, 50, "1 2 5 10 20 50")]
    [InlineData(0.001, 1, "0.001 0.01 0.1 1")]
    [InlineData(100, 200, "100 120 140 160 180 200")]
    [InlineData(1, 1e19, "1 1k 1M 1G 1T 1P 1E")]
    public void A_logarithmic_axis_has_round_numbers(double min, double max, string ticks) =>
        LabelsOf(PlotAxis.Logarithmic(min, max, 7)).Should().Be(ticks);

    [Fact]
    public void Ticks_are_on_the_axis_and_do_not_overlap() => Seeded.Run(200, random =>
    {
        double min = random.NextDouble() * Math.Pow(10, random.Next(-6, 19));
        double max = min + (Math.Pow(10, random.Next(-2, 19)) * random.NextDouble()) + (min * 1e-5);
        foreach (PlotAxis axis in new[] { PlotAxis.Linear(min, max, 5), PlotAxis.Logarithmic(min, max, 7) })
        {
            axis.Ticks.Should().OnlyContain(tick => tick.Value >= axis.Min * 0.999999 && tick.Value <= axis.Max * 1.000001);
            axis.Ticks.Should().HaveCountLessThan(12);
            axis.Ticks.Select(tick => tick.Label).Should().OnlyHaveUniqueItems();
        }
    });

    [Theory]
    [InlineData(Backgrounds.White)]
    [InlineData(Backgrounds.Dark)]
    public void Every_line_color_has_enough_contrast(string ground) =>
        PlotPalette.Colors.Where(color => color != PlotPalette.Text)
            .Should().OnlyContain(color => Contrast(color, ground) >= 3).And.HaveCountGreaterThan(3);

    [Theory]
    [InlineData(Backgrounds.Dark)]
    [InlineData(Backgrounds.DarkRaised)]
    public void The_dark_style_sheet_increases_the_contrast(string ground)
    {
        foreach (string light in PlotPalette.Colors.Where(color => color != PlotPalette.Text))
        {
            Match rule = Regex.Match(
                HtmlAssets.DarkStyle, $@"\[stroke=""{light}""\] {{ stroke: (#\w+); }} \[fill=""{light}""\] {{ fill: (#\w+); }}");
            rule.Groups[1].Value.Should().Be(rule.Groups[2].Value);
            Contrast(rule.Groups[1].Value, ground).Should().BeGreaterThanOrEqualTo(6);
        }

        HdrHistogramPlot.CreateLayout(0.1).ToSvgDocument().Should().Contain(HtmlAssets.DarkStyle);
    }

    // Relative luminance and contrast as defined by WCAG 2.2.
    private static double Contrast(string one, string other)
    {
        (double a, double b) = (Luminance(one), Luminance(other));
        return (Math.Max(a, b) + 0.05) / (Math.Min(a, b) + 0.05);
    }

    private static double Luminance(string color)
    {
        double Channel(int at)
        {
            double value = int.Parse(color.AsSpan(at, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture) / 255.0;
            return value <= 0.04045 ? value / 12.92 : Math.Pow((value + 0.055) / 1.055, 2.4);
        }

        return (0.2126 * Channel(1)) + (0.7152 * Channel(3)) + (0.0722 * Channel(5));
    }

    [Theory]
    [InlineData(1, "0 0.25 0.5 0.75 1")]
    [InlineData(10, "0 2.5 5 7.5 10")]
    [InlineData(10_000, "0 2.5k 5k 7.5k 10k")]
    [InlineData(0.1, "0 0.025 0.05 0.075 0.1")]
    public void Ticks_at_quarters_have_enough_decimals(double max, string labels) =>
        LabelsOf(PlotAxis.Linear(0, max, 4)).Should().Be(labels);

    private static string LabelsOf(PlotAxis axis) => string.Join(' ', axis.Ticks.Select(tick => tick.Label));

    private static class Backgrounds
    {
        public const string White = "#ffffff";
        public const string Dark = "#16181d";
        public const string DarkRaised = "#1e2127"; // the selected row of the page
    }
}
