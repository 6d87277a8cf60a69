using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests the report in a browser. Screenshots for manual review are written to artifacts/test-results/chromium.</summary>
public sealed partial class ReportTests(Browser browser) : IClassFixture<Browser>
{
    private const int Narrow = 360;
    private const int Wide = 1200;

    public static TheoryData<string, int> Pages
    {
        get
        {
            TheoryData<string, int> pages = [];
            foreach (string name in new[] { "two", "one", "many", "edges", "hostile", "none", "long", "lossy" })
            {
                pages.Add(name, Narrow);
                pages.Add(name, Wide);
            }

            return pages;
        }
    }

    [TheoryNeeding(Need.Chromium)]
    [MemberData(nameof(Pages))]
    public async Task The_page_has_no_errors_and_no_overflow(string name, int width)
    {
        IReadOnlyList<string> complaints = await browser.ShowAsync("report.html", Reports.Page(name), width);
        await browser.KeepAsync($"report-{name}-{width}");

        complaints.Should().BeEmpty();
        (await TextsAsync("document.documentElement.scrollWidth > innerWidth ? ['the page'] : []")).Should().BeEmpty();
        (await TextsAsync(Checks.OverflowingElements)).Should().BeEmpty();
        (await TextsAsync(Checks.OverlappingTexts)).Should().BeEmpty();
        (await NumberAsync("Math.min(99, ...[...document.querySelectorAll('svg text')].map(text => text.getBoundingClientRect().height))"))
            .Should().BeGreaterThan(10, "smaller letters are unreadable");
        (await NumberAsync("Math.max(0, ...[...document.querySelectorAll('svg text')].map(text => text.getBoundingClientRect().height))"))
            .Should().BeLessThan(30);
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_policy_forbids_everything_else()
    {
        await browser.ShowAsync("report.html", Reports.Page("one"));
        JsonNode? ran = await browser.Page.EvaluateAsync(
            "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s); return window.ran ?? false; })()");
        ((bool)ran!).Should().BeFalse();
        browser.Page.Complaints.Should().Contain(complaint => complaint.Contains("Content Security Policy"));
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData(Narrow)]
    [InlineData(Wide)]
    public async Task The_tooltip_shows_the_values_under_the_pointer(int width)
    {
        await browser.ShowAsync("report.html", Reports.Page("two"), width);
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = Reports.Series("two");

        await PointAtAsync("svg", "99 %", series);
        await browser.KeepAsync($"pointed-at-{width}");
        await PointAtAsync("svg", "0 %", series);
        string text = await PointAtAsync("svg", "99.9 %", series);

        foreach (KeyValuePair<string, ReadOnlyHdrHistogram> one in series)
        {
            string value = (one.Value.GetPercentileValue(99.9) / 1e6).ToString("0.#####", System.Globalization.CultureInfo.InvariantCulture);
            text.Should().Contain($"{one.Key}: {value} ms");
        }

        await browser.Page.MoveMouseAsync(2, 2);
        (await browser.Page.EvaluateAsync("document.getElementById('tip').hidden"))!.GetValue<bool>().Should().BeTrue();
        browser.Page.Complaints.Should().BeEmpty();
    }

    [FactNeeding(Need.Chromium)]
    public async Task Light_and_dark_mode_differ_and_are_readable()
    {
        List<byte[]> pictures = [];
        foreach (bool isDark in new[] { false, true })
        {
            await browser.ShowAsync("report.html", Reports.Page("two"), Wide, isDark);
            await browser.KeepAsync(isDark ? "dark" : "light");
            pictures.Add(await browser.Page.CaptureAsync());
            foreach (string selector in new[] { "h1", "svg text", "td" })
            {
                (await NumberAsync(Checks.ContrastOf(selector))).Should().BeGreaterThan(7, $"{selector} is text");
            }
        }

        pictures[0].Should().NotEqual(pictures[1]);
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData("two")]
    [InlineData("one")]
    [InlineData("edges")]
    public async Task The_report_prints_on_one_page(string name)
    {
        await browser.ShowAsync("report.html", Reports.Page(name), Wide, isDark: true);
        (await PagesAsync()).Should().Be(1);
    }

    [FactNeeding(Need.Chromium)]
    public async Task A_table_wider_than_the_page_scrolls_separately_to_its_end()
    {
        await browser.ShowAsync("report.html", Reports.Page("long"), Narrow);
        (await NumberAsync("document.querySelector('.table').scrollWidth - innerWidth")).Should().BePositive("the table must scroll");
        JsonNode places = (await browser.Page.EvaluateAsync(
            """
            (() => {
              const box = document.querySelector(".table");
              box.scrollLeft = 1e6;
              const [first, ...others] = [...document.querySelectorAll("tbody tr:first-child > *")].map(cell => cell.getBoundingClientRect());
              scrollBy(1e6, 0);
              return { first: first.left, last: others.at(-1).right, page: scrollX };
            })()
            """))!;
        await browser.KeepAsync("table-scrolled");
        ((double)places["first"]!).Should().BeInRange(0, Narrow / 10, "the column of ranks does not scroll");
        ((double)places["last"]!).Should().BeInRange(Narrow / 2, Narrow, "the column of changes is visible");
        ((double)places["page"]!).Should().Be(0);
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData("long")]
    [InlineData("edges")]
    [InlineData("lossy")]
    public async Task A_wide_table_prints_within_the_paper(string name)
    {
        const int PaperWidth = 703; // A4 without the margins, in pixels of 1/96 inch
        await browser.ShowAsync("report.html", Reports.Page(name), PaperWidth);
        await browser.Page.SendAsync("Emulation.setEmulatedMedia", new() { ["media"] = "print" });
        try
        {
            await browser.KeepAsync($"print-{name}");
            (await TextsAsync("[...document.querySelectorAll('th, td')].filter(cell => cell.getBoundingClientRect().right > innerWidth).map(cell => cell.textContent)"))
                .Should().BeEmpty();
        }
        finally
        {
            await browser.Page.SendAsync("Emulation.setEmulatedMedia", new() { ["media"] = "" });
        }
    }

    [FactNeeding(Need.Chromium)]
    public async Task Many_histograms_print_on_several_pages()
    {
        await browser.ShowAsync("report.html", Reports.Page("many"));
        (await PagesAsync()).Should().BeInRange(2, 6);
    }

    [FactNeeding(Need.Chromium)]
    public async Task Without_its_script_the_tooltips_of_the_browser_show_the_values()
    {
        await browser.Page.SendAsync("Emulation.setScriptExecutionDisabled", new() { ["value"] = true });
        try
        {
            await browser.ShowAsync("report.html", Reports.Page("two"));
            (await TextsAsync("[...document.querySelectorAll('svg rect > title')].map(title => title.textContent)"))
                .Should().Contain(text => text.StartsWith("99.9 %\nbefore: "));
        }
        finally
        {
            await browser.Page.SendAsync("Emulation.setScriptExecutionDisabled", new() { ["value"] = false });
        }
    }

    /// <summary>Moves the pointer to the strip whose tooltip starts with a text, and returns the tooltip that the page shows. It must be within the page.</summary>
    private async Task<string> PointAtAsync(string plot, string rank, KeyValuePair<string, ReadOnlyHdrHistogram>[] series)
    {
        // The script has removed the titles, so the strip is found by its index in the plot without the script.
        SvgStrips strips = new(HdrHistogramPlot.CreatePercentiles(series, Reports.Unit("two"), Reports.Title("two")).ToSvgElement());
        JsonNode place = (await browser.Page.EvaluateAsync(
            $"(() => {{ const r = document.querySelector('{plot}').querySelectorAll('rect')[{strips.IndexOf(rank)}].getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }})()"))!;
        await browser.Page.MoveMouseAsync((double)place[0]!, (double)place[1]!);
        JsonNode tip = (await browser.Page.EvaluateAsync(
            "(() => { const tip = document.getElementById('tip'), r = tip.getBoundingClientRect(); return { hidden: tip.hidden, text: tip.textContent, inside: r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight }; })()"))!;
        ((bool)tip["hidden"]!).Should().BeFalse();
        ((bool)tip["inside"]!).Should().BeTrue();
        string text = (string)tip["text"]!;
        text.Should().StartWith(rank + "\n");
        return text;
    }

    private async Task<string[]> TextsAsync(string expression) =>
        [.. ((JsonArray)(await browser.Page.EvaluateAsync(expression))!).Select(text => (string)text!)];

    private async Task<int> PagesAsync() => PdfPage().Count(Encoding.Latin1.GetString(await browser.Page.PrintAsync()));

    private async Task<double> NumberAsync(string expression) => (double)(await browser.Page.EvaluateAsync(expression))!;

    [GeneratedRegex(@"/Type\s*/Page\b")]
    private static partial Regex PdfPage();
}
