using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests the report, and plots outside a report.</summary>
public sealed partial class ReportTests(Browser browser) : BrowserTests(browser)
{
    private const int Phone = 360;

    [TheoryNeeding(Need.Chromium)]
    [InlineData("two")]
    [InlineData("one")]
    [InlineData("many")]
    [InlineData("edges")]
    [InlineData("hostile")]
    [InlineData("none")]
    [InlineData("long")]
    [InlineData("lossy")]
    public async Task The_page_has_no_errors_and_no_overflow(string name)
    {
        const string Heights = "[...document.querySelectorAll('svg text')].map(text => text.getBoundingClientRect().height)";
        (await Browser.ShowAsync("report.html", Reports.Page(name), Phone)).Should().BeEmpty();
        foreach ((int width, bool isDark) in new[] { (Phone, false), (Wide, true) })
        {
            await ResizeAsync(width, isDark);
            await Browser.KeepAsync($"report-{name}-{width}");

            (await TextsAsync("document.documentElement.scrollWidth > innerWidth ? ['the page'] : []")).Should().BeEmpty();
            (await TextsAsync(Checks.OverflowingElements)).Should().BeEmpty();
            (await TextsAsync(Checks.OverlappingTexts)).Should().BeEmpty();
            (await TextsAsync(Checks.FaintTexts)).Should().BeEmpty("WCAG 2.2, 1.4.3");
            (await NumberAsync($"Math.min(99, ...{Heights})")).Should().BeGreaterThan(10, "smaller letters are unreadable");
            (await NumberAsync($"Math.max(0, ...{Heights})")).Should().BeLessThan(30);
        }
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_tooltip_shows_the_values_under_the_pointer_and_other_scripts_are_forbidden()
    {
        await Browser.ShowAsync("report.html", Reports.Page("two"), Phone);
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = Reports.Series("two");

        // The script has removed the titles, so the strip is found by its index in the plot without the script.
        XElement plot = XElement.Parse(HdrHistogramPlot.CreatePercentiles(series, Reports.Unit("two"), Reports.Title("two")).ToSvgElement());
        string[] strips = [.. plot.Elements().Where(one => one.Name.LocalName == "rect").Select(strip => strip.Value.Split('\n')[0])];
        foreach ((int width, string rank) in new[] { (Phone, strips[^1]), (Phone, "0 %"), (Wide, "0 %"), (Wide, "99.9 %") })
        {
            await ResizeAsync(width, isDark: false);
            await PointAtAsync($"document.querySelector('svg').querySelectorAll('rect')[{Array.IndexOf(strips, rank)}]");
            (await TipAsync()).Should().StartWith(rank + "\n");
        }

        foreach (KeyValuePair<string, ReadOnlyHdrHistogram> one in series)
        {
            string value = (one.Value.GetPercentileValue(99.9) / 1e6).ToString("0.#####", System.Globalization.CultureInfo.InvariantCulture);
            (await TipAsync()).Should().Contain($"{one.Key}: {value} ms");
        }

        await Page.MoveMouseAsync(2, 2);
        (await TipAsync()).Should().BeEmpty();
        Page.Complaints.Should().BeEmpty();
        await ShouldForbidOtherScriptsAsync();
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData("two", 1)]
    [InlineData("one", 1)]
    [InlineData("edges", 1)]
    [InlineData("many", 6)]
    public async Task The_report_prints_on_few_pages(string name, int atMost)
    {
        await Browser.ShowAsync("report.html", Reports.Page(name), Wide, isDark: true);
        (await PagesAsync()).Should().BeInRange(atMost == 1 ? 1 : 2, atMost);
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_table_wider_than_the_page_scrolls_separately_to_its_end()
    {
        await Browser.ShowAsync("report.html", Reports.Page("long"), Phone);
        (await NumberAsync("document.querySelector('.table').scrollWidth - innerWidth")).Should().BePositive("the table must scroll");
        JsonNode places = (await Page.EvaluateAsync(
            """
            (() => {
              const box = document.querySelector(".table");
              box.scrollLeft = 1e6;
              const [first, ...others] = [...document.querySelectorAll("tbody tr:first-child > *")].map(cell => cell.getBoundingClientRect());
              scrollBy(1e6, 0);
              return { first: first.left, last: others.at(-1).right, page: scrollX };
            })()
            """))!;
        await Browser.KeepAsync("table-scrolled");
        ((double)places["first"]!).Should().BeInRange(0, Phone / 10, "the column of ranks does not scroll");
        ((double)places["last"]!).Should().BeInRange(Phone / 2, Phone, "the column of changes is visible");
        ((double)places["page"]!).Should().Be(0);
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData("long")]
    [InlineData("edges")]
    [InlineData("lossy")]
    public async Task A_wide_table_prints_within_the_paper(string name)
    {
        const int PaperWidth = 703; // A4 without the margins, in pixels of 1/96 inch
        await Browser.ShowAsync("report.html", Reports.Page(name), PaperWidth);
        await Page.SendAsync("Emulation.setEmulatedMedia", new() { ["media"] = "print" });
        try
        {
            await Browser.KeepAsync($"print-{name}");
            (await TextsAsync("[...document.querySelectorAll('th, td')].filter(cell => cell.getBoundingClientRect().right > innerWidth).map(cell => cell.textContent)"))
                .Should().BeEmpty();
        }
        finally
        {
            await Page.SendAsync("Emulation.setEmulatedMedia", new() { ["media"] = "" });
        }
    }

    [FactNeeding(Need.Chromium)]
    public Task Without_its_script_the_tooltips_of_the_browser_show_the_values() => WithoutScriptsAsync(async () =>
    {
        await Browser.ShowAsync("report.html", Reports.Page("two"));
        (await TextsAsync("[...document.querySelectorAll('svg rect > title')].map(title => title.textContent)"))
            .Should().Contain(text => text.StartsWith("99.9 %\nbefore: "));
    });

    [FactNeeding(Need.Chromium)]
    public async Task A_document_is_complete_at_every_width_and_follows_the_color_scheme_of_the_system()
    {
        string document = HdrHistogramPlot.CreateDensity(Reports.Series("two"), Reports.Unit("two"), Reports.Title("two")).ToSvgDocument();
        foreach ((int width, bool isDark) in Looks)
        {
            (await Browser.ShowAsync("plot.svg", document, width, isDark)).Should().BeEmpty();
            await Browser.KeepAsync($"document-{width}");
            (await TextAsync("getComputedStyle(document.documentElement).backgroundColor")).Should().Be(isDark ? "rgb(22, 24, 29)" : "rgb(255, 255, 255)");
            await ShouldFillAsync("document.documentElement", width, document);
            (await NumberAsync("Math.max(...[...document.querySelectorAll('text, rect')].map(part => part.getBoundingClientRect().right))"))
                .Should().BeInRange(width * 0.9, width);
            (await PagesAsync()).Should().Be(1);

            foreach (string style in new[] { "", "max-width:100%", "width:100%" })
            {
                await Browser.ShowAsync("page.html", $"<!DOCTYPE html><title>it</title><body style=\"margin:0\"><img src=\"plot.svg\" style=\"{style}\">", width);
                await ShouldFillAsync("document.querySelector('img')", width, document);
            }
        }
    }

    private async Task ShouldFillAsync(string element, double width, string document)
    {
        double[] box = [.. XElement.Parse(document).Attribute("viewBox")!.Value.Split(' ').Select(part => double.Parse(part, System.Globalization.CultureInfo.InvariantCulture))];
        (await NumberAsync($"{element}.getBoundingClientRect().width")).Should().BeApproximately(width, 1);
        (await NumberAsync($"{element}.getBoundingClientRect().height")).Should().BeApproximately(width * box[3] / box[2], 1);
    }

    private async Task<int> PagesAsync() => PdfPage().Count(Encoding.Latin1.GetString(await Page.PrintAsync()));

    [GeneratedRegex(@"/Type\s*/Page\b")]
    private static partial Regex PdfPage();
}
