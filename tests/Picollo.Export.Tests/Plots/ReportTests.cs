using System.Security.Cryptography;
using System.Xml.Linq;

namespace Picollo.Export.Tests.Plots;

public class ReportTests
{
    private static readonly HdrHistogramUnit Milliseconds = new() { Name = "ms", Ratio = 1e6 };

    [Fact]
    public void The_policy_has_the_hashes_of_the_style_and_the_script()
    {
        string page = Page([new("a", SomeLatencies.Of(1))]);
        HdrHistogramPlot.ReportContentSecurityPolicy.Should().Contain($"style-src '{HashOf(Between(page, "<style>", "</style>"))}'")
            .And.Contain($"script-src '{HashOf(Between(page, "<script>", "</script>"))}'");
        page.Should().Contain($"content=\"{HdrHistogramPlot.ReportContentSecurityPolicy}\"").And.Contain(HtmlAssets.DarkStyle);
    }

    [Fact]
    public void The_page_loads_nothing_and_has_one_style_and_one_script()
    {
        string page = Page([new("a", SomeLatencies.Of(1)), new("b", SomeLatencies.Of(2))]);
        string markup = page.Replace(HtmlAssets.ReportStyle, "").Replace(HtmlAssets.ReportScript, "").Replace("http://www.w3.org/2000/svg", "");
        markup.Should().NotContainAny("http:", "https:", "src=", "href=", "style=", " on", "url(");
        page.Split("<script").Should().HaveCount(2);
        page.Should().NotContain("\r");
    }

    [Fact]
    public void One_histogram_has_two_plots_and_the_table_of_its_summary()
    {
        HdrHistogram histogram = SomeLatencies.Of(1);
        HdrHistogramSummary summary = histogram.GetSummary();
        string[] rows = Rows(Page([new("it", histogram)], Milliseconds));
        rows[0].Should().Be("Percentile | it");
        rows.Should().Contain(string.Create(CultureInfo.InvariantCulture, $"99.9 | {summary.P999.Value / 1e6:N3}"));
        rows.Should().Contain(string.Create(CultureInfo.InvariantCulture, $"Mean | {summary.Mean / 1e6:N4}"));
        rows.Should().Contain("Total | 20,000");
        rows.Select(row => row.Split(" | ")[0]).Should().Equal(
            "Percentile", "0", "1", "5", "10", "25", "50", "75", "90", "92.5", "95", "97.5", "99", "99.9", "99.99", "99.999", "100", "Mean", "StDev", "Total", "Precision");
        Figures(Page([new("it", histogram)])).Should().Equal("Percentiles", "Density");
    }

    [Fact]
    public void The_default_title_has_the_names_of_the_series()
    {
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = [.. Enumerable.Range(1, 5).Select(i => new KeyValuePair<string, ReadOnlyHdrHistogram>($"run {i}", PercentilePlotTests.One(5)))];
        Page(series[..1]).Should().Contain("<title>run 1</title>").And.Contain("<h1>run 1</h1>");
        Page(series).Should().Contain("<h1>run 1, run 2, run 3 and 2 more</h1>");
        Page(series, title: "Nightly").Should().Contain("<h1>Nightly</h1>");
    }

    [Fact]
    public void Two_histograms_are_compared()
    {
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = [new("before", PercentilePlotTests.One(10)), new("after", PercentilePlotTests.One(15))];
        string page = Page(series);
        Figures(page).Should().Equal("Percentiles", "Density", "Difference");
        string[] rows = Rows(page);
        rows[0].Should().Be("Percentile | before | after | Δ%");
        rows.Should().Contain("50 | 10 | 15 | +50.0%");
        rows[^1].Should().Be("D-value |  |  | n/a");
    }

    [Fact]
    public void Many_histograms_are_divided_into_tables_of_four()
    {
        string page = Page([.. Enumerable.Range(0, 9).Select(i => new KeyValuePair<string, ReadOnlyHdrHistogram>($"s{i}", PercentilePlotTests.One((ulong)i)))]);
        Rows(page).Where(row => row.StartsWith("Percentile", StringComparison.Ordinal))
            .Should().Equal("Percentile | s0 | s1 | s2 | s3", "Percentile | s4 | s5 | s6 | s7", "Percentile | s8");
        Figures(page).Should().Equal("Percentiles", "Density");
    }

    [Fact]
    public void A_report_of_no_or_an_empty_histogram_or_of_values_out_of_range_is_a_complete_page()
    {
        Page([]).Should().Contain("<h1>Histograms</h1>").And.Contain("no values");
        string[] rows = Rows(Page([new("idle", HdrHistogram.Create())]));
        HdrHistogram lossy = HdrHistogram.Factory.WithMaxTrackableValue(100).Create();
        lossy.Record(50);
        lossy.Record(100_000, 3);
        Rows(Page([new("a", lossy)])).Should().Contain("Out of range | 3");
        rows.Should().Contain(["Percentile | idle (no values)", "0 | –", "50 | –", "100 | –", "Mean | –", "StDev | –", "Total | 0"]);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 0)]
    public void An_empty_histogram_is_not_compared(int empty, int other)
    {
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = new KeyValuePair<string, ReadOnlyHdrHistogram>[2];
        series[empty] = new("idle", HdrHistogram.Create());
        series[other] = new("busy", PercentilePlotTests.One(10));
        string[] rows = Rows(Page(series));
        rows.Should().Contain(empty == 0 ? ["50 | – | 10 | n/a", "Mean | – | 10.00 | n/a", "Total | 0 | 10 | n/a"] : ["50 | 10 | – | n/a", "Mean | 10.00 | – | n/a", "Total | 10 | 0 | n/a"]);
        rows[^1].Should().Be("D-value |  |  | n/a");
    }

    [Theory]
    [InlineData(1, "5 20 30 18.33", 5UL, 20UL, 30UL), InlineData(1, "5 20 4,002 1,342.33", 5UL, 20UL, 4_000UL)]
    [InlineData(1e3, "0.1 0.5 10.008 3.5360", 100UL, 500UL, 10_004UL), InlineData(8, "2 2 2 2.0000", 16UL, 16UL, 16UL)]
    [InlineData(1e6, "0.000001 0.0005 12.001 4.0006", 1UL, 500UL, 12_000_000UL)]
    [InlineData(1e6, "0.002250 0.012024 12.001 4.0052", 2_249UL, 12_030UL, 12_000_000UL)]
    [InlineData(1e3, "0.5 1.251 1,234,174 411,391.90", 500UL, 1_250UL, 1_234_567_890UL)]
    [InlineData(1e-23, "1E+23 1E+23 1E+23 1E+23", 1UL, 1UL, 1UL)]
    public void The_values_have_the_digits_of_the_text_table(double unit, string expected, params ulong[] values)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(values);
        string[] rows = Rows(Page([new("it", histogram)], new() { Ratio = unit }));
        string text = histogram.GetSummary().ToTable(unit: new() { Ratio = unit });
        string Of(string name) => rows.Single(row => row.StartsWith(name + " | ", StringComparison.Ordinal)).Split(" | ")[1];
        string InText(string name) => text.Split('\n').Single(line => line.Split('|') is [_, string first, ..] && first.Trim().TrimEnd(':') == name).Split('|')[2].Trim();

        string.Join(' ', Of("0"), Of("50"), Of("100"), Of("Mean")).Should().Be(expected);
        if (unit >= 1)
        {
            foreach (string name in new[] { "0", "50", "100", "Mean" })
            {
                Of(name).Should().Be(InText(name));
            }
        }
    }

    [Fact]
    public void Hostile_names_remain_text()
    {
        const string Name = "</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\0";
        string page = Page([new(Name, PercentilePlotTests.One(1)), new(Name, PercentilePlotTests.One(2))], new() { Name = Name }, Name);
        page.Split("<script").Should().HaveCount(2);
        page.Should().NotContainAny("<img", "\0", "\u202e");
        Rows(page)[0].Should().StartWith("Percentile | </title></style>");
    }

    private static string Page(KeyValuePair<string, ReadOnlyHdrHistogram>[] series, HdrHistogramUnit? unit = null, string title = "")
    {
        using StringWriter page = new();
        HdrHistogramPlot.WriteReport(page, series, unit, title);
        return page.ToString();
    }

    private static string HashOf(string text) => "sha256-" + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)));

    private static string Between(string page, string from, string to)
    {
        int start = page.IndexOf(from, StringComparison.Ordinal) + from.Length;
        return page[start..page.IndexOf(to, start, StringComparison.Ordinal)];
    }

    // The body is also well-formed XML, which shows that all elements are closed and all text is encoded.
    private static XElement Body(string page) => XElement.Parse("<main>" + Between(page, "<main>", "</main>") + "</main>");

    private static string[] Figures(string page) => [.. Body(page).Descendants("figcaption").Select(caption => caption.Value)];

    private static string[] Rows(string page) =>
        [.. Body(page).Descendants("tr").Select(row => string.Join(" | ", row.Elements().Select(cell => cell.Value)))];
}
