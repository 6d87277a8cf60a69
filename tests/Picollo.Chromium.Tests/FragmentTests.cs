using Picollo.Metrics.Export;

namespace Picollo.Chromium.Tests;

/// <summary>Plots without the report around them.</summary>
public sealed class FragmentTests(Browser browser) : IClassFixture<Browser>
{
    [ChromiumFact]
    public async Task A_page_that_allows_nothing_can_hold_every_plot()
    {
        HdrHistogramSeries[] series = Reports.Series("two");
        HdrHistogramPlot[] plots =
        [
            HdrHistogramPlot.OfPercentiles(series), HdrHistogramPlot.OfDensity(series), HdrHistogramPlot.OfDifference(series[0], series[1]),
            HdrHistogramPlot.OfLayout(0.06), HdrHistogramPlot.OfLayout(0.01, 10_000), HdrHistogramPlot.OfLayout(0.0001),
        ];
        IReadOnlyList<string> complaints = await browser.ShowAsync(
            "page.html",
            "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"><title>all</title>"
                + string.Concat(plots.Select(plot => plot.Fragment)),
            500);
        await browser.KeepAsync("fragments");

        complaints.Should().BeEmpty();
        ((int)(await browser.Page.EvaluateAsync("document.querySelectorAll('svg').length"))!).Should().Be(plots.Length);
        ((bool)(await browser.Page.EvaluateAsync("document.documentElement.scrollWidth <= innerWidth"))!).Should().BeTrue();
    }

    [ChromiumFact]
    public async Task A_document_is_light_or_dark_as_the_system_is()
    {
        string document = HdrHistogramPlot.OfPercentiles(Reports.Series("two"), Reports.Options("two")).Document;
        List<string> grounds = [];
        foreach (bool isDark in new[] { false, true })
        {
            (await browser.ShowAsync("plot.svg", document, 900, isDark)).Should().BeEmpty();
            await browser.KeepAsync(isDark ? "document-dark" : "document-light");
            grounds.Add((string)(await browser.Page.EvaluateAsync("getComputedStyle(document.documentElement).backgroundColor"))!);
        }

        grounds.Should().Equal("rgb(255, 255, 255)", "rgb(22, 24, 29)");
    }
}
