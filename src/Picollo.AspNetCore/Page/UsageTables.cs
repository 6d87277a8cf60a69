using System.Globalization;
using System.Text;
using Picollo.AspNetCore.Requests;
using Picollo.AspNetCore.Usage;

namespace Picollo.AspNetCore.Page;

/// <summary>The part of the page above the plots: totals, and tables with a row for each route and each registered histogram.</summary>
internal static class UsageTables
{
    private const int LettersOfUnit = 20;

    private static readonly string[] Ranks = ["p50", "p90", "p99", "p99.9"];

    /// <summary>The tables. <paramref name="chosen"/> is the ID of the row whose plots are below; empty for none.</summary>
    public static string Of(UsageReading reading, string chosen)
    {
        StringBuilder html = new();
        WriteTiles(html, reading);
        WriteRoutes(html, reading, chosen);
        if (reading.Histograms.Count > 0)
        {
            WriteHistograms(html, reading.Histograms, chosen);
        }

        return html.ToString();
    }

    private static void WriteTiles(StringBuilder html, UsageReading reading)
    {
        string processors = reading.Processors == 1
            ? "of a processor"
            : string.Create(CultureInfo.InvariantCulture, $"of {reading.Processors} processors");
        html.Append("<dl class=\"tiles\">\n");
        Tile("Requests", Numbers.Short(reading.Routes.Sum(route => route.Rate)), "a second");
        Tile("CPU of requests", Percent(reading.Routes.Sum(route => route.MachineShare)), processors);
        Tile("CPU of the process", reading.ProcessShare is { } share ? Percent(share) : "n/a", processors);
        Tile("Requests in all", Numbers.Count((ulong)reading.Routes.Sum(route => (double)route.Count)), "since the start");
        html.Append("</dl>\n");

        void Tile(string name, string value, string unit) =>
            html.Append(CultureInfo.InvariantCulture, $"<div><dt>{name}</dt><dd>{value}<small>{unit}</small></dd></div>\n");
    }

    private static void WriteRoutes(StringBuilder html, UsageReading reading, string chosen)
    {
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <div class="table">
            <table class="routes">
            <caption>Routes <small>rates and shares over the last {Window(reading.Window)}, percentiles since the start;
            a request counts when it ends</small></caption>
            <thead>
            <tr><th rowspan="2" scope="col">Route</th><th rowspan="2" scope="col">Requests</th><th rowspan="2" scope="col">a second</th>
            <th rowspan="2" scope="col">Share of the machine</th><th colspan="4" scope="colgroup" class="first">CPU, ms</th>
            <th colspan="4" scope="colgroup" class="second">Wall, ms</th></tr>
            <tr>{Heads("first")}{Heads("second")}</tr>
            </thead>
            <tbody>

            """);
        foreach (SubjectUsage route in reading.Routes)
        {
            BeginRow(html, route, chosen);
            Cell(html, "requests", "", Numbers.Count(route.Count) + Failures(route.Subject.Route!));
            Cell(html, "a second", "", Numbers.Short(route.Rate));
            string kernel = route.KernelShare is { } share ? $"<small>{Percent(share)} kernel </small>" : "";
            Cell(html, "of the machine", "", $"{kernel}{Bar(route.MachineShare)}<span>{Percent(route.MachineShare)}</span>");
            Percentiles(html, "CPU ms ", "first", route.Subject, route.Quantiles[0]);
            Percentiles(html, "wall ms ", "second", route.Subject, route.Quantiles[1]);
            html.Append("</tr>\n");
        }

        html.Append("</tbody>\n</table>\n</div>\n");
        if (reading.IsFull)
        {
            html.Append(
                CultureInfo.InvariantCulture,
                $"<p class=\"nothing\">The table is full: further routes count as (other). "
                + $"<code>PicolloOptions.MaxRoutes</code> is {reading.MaxRoutes}.</p>\n");
        }

        if (reading.Routes.Count == 0)
        {
            html.Append("<p class=\"nothing\">No request yet, or none that reached <code>app.UsePicollo()</code>.</p>\n");
        }
    }

    /// <summary>What a reader of the number of requests must know: how many were not answered as they should.</summary>
    private static string Failures(RouteUsage route)
    {
        (string Name, long Count)[] all =
        [
            ("4xx", route[ResponseClass.ClientError]), ("5xx", route[ResponseClass.ServerError]), ("aborted", route[ResponseClass.Aborted]),
            ("rejected", route.Rejected),
        ];
        string text = string.Join(", ", all.Where(one => one.Count > 0).Select(one => $"{Numbers.Count((ulong)one.Count)} {one.Name}"));
        return text.Length == 0 ? "" : $"<small> {text}</small>";
    }

    private static void WriteHistograms(StringBuilder html, IReadOnlyList<SubjectUsage> histograms, string chosen)
    {
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <div class="table">
            <table class="histograms">
            <caption>Histograms</caption>
            <thead><tr><th scope="col">Name</th><th scope="col">Values</th><th scope="col">a second</th>
            {Heads("")}<th scope="col">max</th><th scope="col">Unit</th></tr></thead>
            <tbody>

            """);
        foreach (SubjectUsage histogram in histograms)
        {
            BeginRow(html, histogram, chosen);
            ulong outside = histogram.Quantiles[0].OutOfRange;
            string outOfRange = outside == 0 ? "" : $"<small> {Numbers.Count(outside)} out of range</small>";
            Cell(html, "values", "", Numbers.Count(histogram.Count) + outOfRange);
            Cell(html, "a second", "", Numbers.Short(histogram.Rate));
            Percentiles(html, "", "", histogram.Subject, histogram.Quantiles[0]);
            Cell(html, "max", "", Value(histogram.Subject, histogram.Quantiles[0], histogram.Quantiles[0].Max));
            Cell(html, "unit", "unit", Html.Name(histogram.Subject.Unit.Name, LettersOfUnit));
            html.Append("</tr>\n");
        }

        html.Append("</tbody>\n</table>\n</div>\n");
    }

    private static void BeginRow(StringBuilder html, SubjectUsage usage, string chosen)
    {
        Subject subject = usage.Subject;
        string current = subject.Id == chosen ? " aria-current=\"true\"" : "";
        string method = subject.IsRoute ? $"<b>{Html.Encode(subject.Method)}</b> " : "";
        html.Append(
            CultureInfo.InvariantCulture,
            $"<tr data-id=\"{subject.Id}\"><th scope=\"row\">"
            + $"<a href=\"?show={subject.Id}#chosen\"{current}>{method}{Html.Name(subject.Name)}</a></th>");
    }

    private static void Percentiles(StringBuilder html, string prefix, string kind, Subject subject, Quantiles quantiles)
    {
        ulong[] values = [quantiles.P50, quantiles.P90, quantiles.P99, quantiles.P999];
        for (int i = 0; i < values.Length; i++)
        {
            Cell(html, prefix + Ranks[i], i == 0 ? kind : "", Value(subject, quantiles, values[i]));
        }
    }

    /// <summary>Appends a cell with the name of its column, for screens that are too narrow for columns.</summary>
    private static void Cell(StringBuilder html, string name, string kind, string content)
    {
        string classes = kind.Length == 0 ? "" : $" class=\"{kind}\"";
        html.Append(CultureInfo.InvariantCulture, $"<td data-name=\"{name}\"{classes}>{content}</td>");
    }

    private static string Heads(string kind) => string.Concat(Ranks.Select((rank, place) =>
        $"<th scope=\"col\"{(kind.Length > 0 && place == 0 ? $" class=\"{kind}\"" : "")}>{rank}</th>"));

    private static string Value(Subject subject, Quantiles of, ulong value) =>
        of.HasValues ? Numbers.Short(value / subject.Unit.Ratio) : "–";

    // With attributes, because the content security policy forbids style attributes.
    private static string Bar(double share)
    {
        double width = Math.Round(Math.Clamp(share, 0, 1) * 100, 1);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"<svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            + $"<rect width=\"100\" height=\"8\" fill=\"currentColor\" fill-opacity=\".12\"/>"
            + $"<rect width=\"{width}\" height=\"8\" fill=\"#0072B2\"/></svg>");
    }

    // Encoded because of "< 0.1 %".
    private static string Percent(double share) => Html.Encode(Numbers.Percent(share));

    private static string Window(TimeSpan window) => window.TotalSeconds switch
    {
        < 1 => "second",
        < 120 => string.Create(CultureInfo.InvariantCulture, $"{window.TotalSeconds:0} s"),
        < 7200 => string.Create(CultureInfo.InvariantCulture, $"{window.TotalMinutes:0} minutes"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{window.TotalHours:0} hours"),
    };
}
