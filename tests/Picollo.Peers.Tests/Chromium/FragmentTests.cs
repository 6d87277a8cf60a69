using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests plots outside a report.</summary>
public sealed class FragmentTests(Browser browser) : IClassFixture<Browser>
{
    [FactNeeding(Need.Chromium)]
    public async Task A_page_with_the_strictest_policy_can_contain_every_plot()
    {
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = Reports.Series("two");
        HdrHistogramPlot[] plots =
        [
            HdrHistogramPlot.CreatePercentiles(series), HdrHistogramPlot.CreateDensity(series), HdrHistogramPlot.CreateDifference(series[0], series[1]),
            HdrHistogramPlot.CreateLayout(0.06), HdrHistogramPlot.CreateLayout(0.01, 10_000), HdrHistogramPlot.CreateLayout(0.0001),
        ];
        IReadOnlyList<string> complaints = await browser.ShowAsync(
            "page.html",
            "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"><title>all</title>"
                + string.Concat(plots.Select(plot => plot.ToSvgElement())),
            500);
        await browser.KeepAsync("fragments");

        complaints.Should().BeEmpty();
        ((int)(await browser.Page.EvaluateAsync("document.querySelectorAll('svg').length"))!).Should().Be(plots.Length);
        ((bool)(await browser.Page.EvaluateAsync("document.documentElement.scrollWidth <= innerWidth"))!).Should().BeTrue();
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_document_follows_the_light_or_dark_mode_of_the_system()
    {
        string document = HdrHistogramPlot.CreatePercentiles(Reports.Series("two"), Reports.Unit("two"), Reports.Title("two")).ToSvgDocument();
        List<string> grounds = [];
        foreach (bool isDark in new[] { false, true })
        {
            (await browser.ShowAsync("plot.svg", document, 900, isDark)).Should().BeEmpty();
            await browser.KeepAsync(isDark ? "document-dark" : "document-light");
            grounds.Add((string)(await browser.Page.EvaluateAsync("getComputedStyle(document.documentElement).backgroundColor"))!);
        }

        grounds.Should().Equal("rgb(255, 255, 255)", "rgb(22, 24, 29)");
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData(390)]
    [InlineData(1280)]
    public async Task A_document_fills_the_available_width_and_is_complete(int window)
    {
        string document = HdrHistogramPlot.CreateDensity(Reports.Series("two"), Reports.Unit("two"), Reports.Title("two")).ToSvgDocument();
        (await browser.ShowAsync("plot.svg", document, window)).Should().BeEmpty();
        await browser.KeepAsync($"document-{window}");
        await ShouldBeAsync("document.documentElement", window, document);
        double rightmost = (double)(await browser.Page.EvaluateAsync(
            "Math.max(...[...document.querySelectorAll('text, rect')].map(part => part.getBoundingClientRect().right))"))!;
        rightmost.Should().BeInRange(window * 0.9, window);

        foreach (string style in new[] { "", "max-width:100%", "width:100%" })
        {
            await browser.ShowAsync("page.html", $"<!DOCTYPE html><title>it</title><body style=\"margin:0\"><img src=\"plot.svg\" style=\"{style}\">", window);
            await browser.KeepAsync($"image-{window}");
            await ShouldBeAsync("document.querySelector('img')", window, document);
        }
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_document_prints_on_one_page()
    {
        await browser.ShowAsync("plot.svg", HdrHistogramPlot.CreateDifference(Reports.Series("two")[0], Reports.Series("two")[1]).ToSvgDocument());
        string print = System.Text.Encoding.Latin1.GetString(await browser.Page.PrintAsync());
        System.Text.RegularExpressions.Regex.Count(print, @"/Type\s*/Page\b").Should().Be(1);
    }

    /// <summary>Resizes the window to a width, and to the resulting height of the whole picture.</summary>
    private async Task ShouldBeAsync(string element, double width, string document)
    {
        System.Text.Json.Nodes.JsonNode size = (await browser.Page.EvaluateAsync(
            $"(() => {{ const r = {element}.getBoundingClientRect(); return [r.width, r.height]; }})()"))!;
        double[] box = [.. System.Xml.Linq.XElement.Parse(document).Attribute("viewBox")!.Value.Split(' ')
            .Select(part => double.Parse(part, System.Globalization.CultureInfo.InvariantCulture))];
        ((double)size[0]!).Should().BeApproximately(width, 1);
        ((double)size[1]!).Should().BeApproximately(width * box[3] / box[2], 1);
    }
}
