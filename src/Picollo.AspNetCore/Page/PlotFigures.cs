using System.Globalization;
using System.Text;
using Picollo.AspNetCore.Reading;
using Picollo.Export;
using Picollo.Export.Html;
using Picollo.Export.Text;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>Draws the plots of a row.</summary>
internal static class PlotFigures
{
    /// <summary>Plots the values in a window, or since the start, from the histograms at one moment.</summary>
    public static string Now(PageRow row, IReadOnlyList<ReadOnlyHdrHistogram> histograms, RecentWindow? window)
    {
        string time = row.Measured is null || window is null ? "since the start" : $"over the {window.Title}";
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series =
            [.. histograms.Select((histogram, i) => KeyValuePair.Create(row.SeriesNames[i], histogram))];
        return Figure("Percentiles " + time, HdrHistogramPlot.CreatePercentiles(series, row.Unit))
            + Figure("Density " + time, HdrHistogramPlot.CreateDensity(series, row.Unit));
    }

    /// <summary>Plots the values before a mark together with the values since the mark.</summary>
    public static string SinceMark(PageRow row, DateTimeOffset time, IReadOnlyList<MarkedPair> pairs)
    {
        string marked = string.Create(CultureInfo.InvariantCulture, $"{time.UtcDateTime:HH:mm:ss} UTC");
        return string.Concat(pairs.Select((pair, i) =>
        {
            string name = row.Measured is null ? "" : row.SeriesNames[i] + ", ";
            KeyValuePair<string, ReadOnlyHdrHistogram> before = new(pair.IsContinued ? "before mark" : "marked", pair.Before);
            KeyValuePair<string, ReadOnlyHdrHistogram> after = new(pair.IsContinued ? "since mark" : "now", pair.After);
            string caption = pair.IsContinued ? $"before and after {marked}" : $"marked {marked}, counting has restarted since";
            HdrHistogramPlot both = HdrHistogramPlot.CreatePercentiles([before, after], row.Unit);
            return Figure(Capital(name + caption), both, TableOf(row, before, after))
                + Figure(Capital(name + "difference"), HdrHistogramPlot.CreateDifference(before, after, row.Unit));
        }));
    }

    /// <summary>Returns a table of the percentiles before and after the mark, and their change.</summary>
    private static string TableOf(
        PageRow row, KeyValuePair<string, ReadOnlyHdrHistogram> before, KeyValuePair<string, ReadOnlyHdrHistogram> after)
    {
        var was = Percentiles.FromSummary(before.Value.GetSummary());
        var now = Percentiles.FromSummary(after.Value.GetSummary());
        string unit = row.Unit.Name.Length == 0 ? "" : Html.Unit(row.Unit.Name);
        StringBuilder html = new();
        html.Append(
            CultureInfo.InvariantCulture,
            $"<table class=\"numbers\">\n<thead><tr><th scope=\"col\">{unit}</th><th scope=\"col\">{before.Key}</th>"
            + $"<th scope=\"col\">{after.Key}</th><th scope=\"col\">change</th></tr></thead>\n<tbody>\n");
        foreach (((string name, double? from), (_, double? to)) in was.AllShown.Zip(now.AllShown))
        {
            string change = from is { } a && to is { } b ? Change(a, b) : Quantity.MissingOnPage;
            html.Append(
                CultureInfo.InvariantCulture,
                $"<tr><th scope=\"row\">{name}</th><td>{Html.Number(from / row.Unit.Ratio)}</td>"
                + $"<td>{Html.Number(to / row.Unit.Ratio)}</td><td>{change}</td></tr>\n");
        }

        html.Append("</tbody>\n</table>\n");
        return html.ToString();
    }

    private static string Change(double from, double to) =>
        from == to ? Quantity.Change(0) : from == 0 ? Quantity.MissingOnPage : Quantity.Change((to - from) / from);

    private static string Figure(string caption, HdrHistogramPlot plot, string numbers = "") =>
        $"<figure>\n<figcaption>{Markup.Encode(caption)}</figcaption>\n{plot.ToSvgElement()}{numbers}</figure>\n";

    internal static string Capital(string text) => char.ToUpperInvariant(text[0]) + text[1..];
}
