using System.Globalization;
using System.Text;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Reading;
using Picollo.Export.Html;
using Picollo.Export.Text;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>Creates the part of the page above the plots: totals, and tables with a row for each route and each registered
/// histogram.</summary>
internal static partial class PageTables
{
    private const int FirstPlotted = 4;

    // The classes of the columns of a plotted fact, with its color in plots.
    private static readonly string[] Kinds = ["first", "second"];

    private static readonly RunFactDescription[] Plotted = [.. RunFacts.Recorded.Where(fact => fact.IsPlotted)];

    /// <summary>Creates the tables.</summary>
    /// <param name="reading">The data.</param>
    /// <param name="chosen">The ID of the row whose plots are shown below; empty for none, and null for a report with those of several
    /// rows.</param>
    public static string Create(PageReading reading, string? chosen)
    {
        StringBuilder html = new();
        html.Append(CultureInfo.InvariantCulture, $"<p class=\"about\">{Markup.Encode(AboutProcess.At(reading.Time))}</p>\n");
        WriteTiles(html, reading);
        WriteRunning(html, reading);
        if (chosen is not null && reading.Routes.Count + reading.Work.Count > 0)
        {
            WriteWindows(html, reading, chosen);
        }

        WriteRoutes(html, reading, chosen);
        WriteErrors(html, reading);
        WriteLatency(html, reading);
        WriteKept(html, "Slowest requests in the last two minutes", reading.Slowest);
        WriteKept(html, "Last requests above the latency budget", reading.OverLatencyBudget);

        if (reading.Work.Count > 0)
        {
            WriteWork(html, reading, chosen);
        }

        foreach (string reason in reading.Runtime?.UnavailableReasons ?? [])
        {
            html.Append(CultureInfo.InvariantCulture, $"<p class=\"nothing\">{Markup.Encode(reason)}</p>\n");
        }

        WriteHistograms(html, "Runtime", reading.RuntimeHistograms, reading.Recent, chosen);
        if (reading.Runtime is { } runtime)
        {
            WriteTotals(html, runtime, reading.Window);
        }

        IReadOnlyList<RowReading> shown = MostUsed(reading.Histograms, chosen);
        WriteHistograms(html, "Histograms", shown, reading.Recent, chosen);
        if (shown.Count < reading.Histograms.Count)
        {
            html.Append(
                CultureInfo.InvariantCulture,
                $"""
                <p class="nothing">Only the {shown.Count:N0} histograms with the most values are shown, out of
                {reading.Histograms.Count:N0}. JSON and the Prometheus exposition contain all histograms.</p>

                """);
        }


        WriteMeters(html, reading);
        if (reading.Parts.Count > 0)
        {
            WriteParts(html, reading);
        }

        return html.ToString();
    }

    private static void WriteTiles(StringBuilder html, PageReading reading)
    {
        string processors = reading.Processors == 1
            ? "of 1 processor"
            : string.Create(CultureInfo.InvariantCulture, $"of {reading.Processors} processors");
        html.Append("<dl class=\"tiles\">\n");
        Tile("Requests", Quantity.Short(reading.Routes.Sum(route => route.Rate)), "per second");
        Tile("CPU of requests", Quantity.Percent(reading.Routes.Sum(route => route.MachineShare)), processors);
        Tile("CPU of the process", reading.ProcessShare is { } share ? Quantity.Percent(share) : Quantity.MissingOnPage, processors);
        int longLived = reading.Running.Count(run => run.IsLongLived);
        string unit = longLived == 0 ? "" : $"{Quantity.Count(longLived)} long-lived";
        Tile("Running now", Quantity.Count(reading.Running.Count), unit);
        Tile("Total requests", Quantity.Count((ulong)reading.Routes.Sum(route => (double)route.Count)), "since the start");
        html.Append("</dl>\n");

        void Tile(string name, string value, string unit) =>
            html.Append(CultureInfo.InvariantCulture, $"<div><dt>{name}</dt><dd>{value}<small>{unit}</small></dd></div>\n");
    }

    private static void WriteRunning(StringBuilder html, PageReading reading)
    {
        if (reading.MostExpensive is not { } mostExpensive)
        {
            return;
        }

        html.Append("<p class=\"running\">");
        if (reading.Oldest is { } oldest)
        {
            html.Append(CultureInfo.InvariantCulture, $"Longest running: {Run(oldest)}. ");
        }

        html.Append(CultureInfo.InvariantCulture, $"Most CPU time so far: {Run(mostExpensive)}.</p>\n");

        static string Run(RunReading run)
        {
            string method = run.Row is RouteRow route ? $"<b>{Markup.Encode(route.Method)}</b> " : "";
            string path = run.Path is { } text ? $" ({Html.Name(text)})" : "";
            return string.Create(
                CultureInfo.InvariantCulture,
                $"{method}{Html.Name(run.Row.Name)}{path}, {Quantity.Time(run.Age.TotalNanoseconds)}, "
                + $"CPU {Quantity.Time(run.CpuNanoseconds)}");
        }
    }

    /// <summary>Appends the links that select the window of percentiles and plots.</summary>
    private static void WriteWindows(StringBuilder html, PageReading reading, string chosen)
    {
        html.Append("<nav aria-label=\"Time of percentiles and plots\">Percentiles and plots:");
        foreach ((string id, string title) in RecentWindow.All.Select(window => (window.Id, window.Title)).Prepend(("", "since the start")))
        {
            string current = id == (reading.Recent?.Id ?? "") ? " aria-current=\"true\"" : "";
            html.Append(CultureInfo.InvariantCulture, $" <a href=\"{Address(chosen, id)}\"{current}>{title}</a>");
        }

        if (reading.Recent is { } recent && reading.RecentTime < recent.Length)
        {
            html.Append(
                CultureInfo.InvariantCulture,
                $" <small>{Quantity.Duration(reading.RecentTime)} so far; recorded only while this page is open</small>");
        }

        html.Append("</nav>\n");
    }

    private static string Address(string show, string? window) => window is { Length: > 0 }
        ? $"?show={show}&amp;{PageEndpoints.WindowParameter}={window}"
        : $"?show={show}";

    private static void WriteRoutes(StringBuilder html, PageReading reading, string? chosen)
    {
        WriteRows(html, reading, chosen, "Routes", "Route", "Requests", reading.Routes);
        if (reading.IsFull)
        {
            html.Append(
                CultureInfo.InvariantCulture,
                $"<p class=\"nothing\">The table is full: further routes are counted as (other). "
                + $"<code>PicolloOptions.Requests.MaxRoutes</code> is {reading.MaxRoutes}.</p>\n");
        }

        if (reading.Routes.Count == 0)
        {
            html.Append("<p class=\"nothing\">No requests yet, or none has reached <code>app.UsePicollo()</code>.</p>\n");
        }
    }

    /// <summary>Appends requests that are shown on their own, with their states and their traces.</summary>
    private static void WriteKept(StringBuilder html, string title, IReadOnlyList<KeptRequest>? requests)
    {
        if (requests is not { Count: > 0 })
        {
            return;
        }

        bool hasStates = requests.Any(request => request.Timed is not null);
        bool hasTraces = requests.Any(request => request.TraceId.Length > 0);
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <details>
            <summary>{title}{(hasTraces ? ", with trace IDs" : "")}</summary>
            <div class="table">
            <table class="parts">
            <thead><tr><th scope="col">Route</th><th scope="col">Status</th><th scope="col">Wall, ms</th><th scope="col">CPU, ms</th>
            <th scope="col">Ended (UTC)</th>{(hasStates ? "<th scope=\"col\" class=\"states\">States</th>" : "")}
            {(hasTraces ? "<th scope=\"col\">Trace ID</th>" : "")}</tr></thead>
            <tbody>

            """);
        foreach (KeptRequest request in requests)
        {
            html.Append(
                CultureInfo.InvariantCulture,
                $"<tr><th scope=\"row\"><b>{Markup.Encode(request.Row.Method)}</b> {Html.Name(request.Row.Route)}</th>");
            Cell(html, "status", "", Status(request.Outcome));
            Cell(html, "wall ms", "", Quantity.Number(request.WallNanoseconds / 1e6));
            Cell(html, "CPU ms", "", Quantity.Number(request.CpuNanoseconds / 1e6));
            Cell(html, "ended (UTC)", "", request.End.UtcDateTime.ToString("HH:mm:ss", CultureInfo.InvariantCulture));
            if (hasStates)
            {
                Cell(html, "states", "states", StateBar(request.Latency));
            }

            if (hasTraces)
            {
                Cell(html, "trace ID", "", request.TraceId.Length == 0 ? Quantity.MissingOnPage : $"<code>{request.TraceId}</code>");
            }

            html.Append("</tr>\n");
        }

        html.Append("</tbody>\n</table>\n</div>\n</details>\n");
    }

    private static string Status(in Outcome outcome) =>
        string.Create(CultureInfo.InvariantCulture, $"{outcome.Status} {outcome.RpcStatus}").TrimEnd();

    private static void WriteWork(StringBuilder html, PageReading reading, string? chosen) =>
        WriteRows(html, reading, chosen, "Named work", "Name", "Runs", reading.Work);

    /// <summary>Appends a table of routes or of named work.</summary>
    private static void WriteRows(
        StringBuilder html, PageReading reading, string? chosen, string caption, string name, string runs, IReadOnlyList<RowReading> rows)
    {
        string percentiles = reading.Recent is null ? "since the start" : $"over the last {Window(reading.RecentTime)}";
        double largest = rows.Select(row => row.MachineShare).DefaultIfEmpty().Max();
        RunFactDescription[] others =
            [.. RunFacts.Recorded.Where(fact => !fact.IsPlotted && rows.Any(row => row[fact.Fact] is not null))];
        int columns = Percentiles.Names.Count;
        string groups = string.Join('\n', Plotted.Select((fact, i) =>
            $"<th colspan=\"{columns}\" scope=\"colgroup\" class=\"{Kinds[i]}\">{HeadingOf(fact)}</th>"));
        string medians = string.Concat(others.Select((fact, i) =>
            $"<th rowspan=\"2\" scope=\"col\">{Sort(HeadingOf(fact), FirstPlotted + (Plotted.Length * columns) + i)}</th>"));
        string heads = string.Concat(Plotted.Select((_, i) => Heads(Kinds[i], FirstPlotted + (i * columns), Percentiles.Names)));
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <div class="table">
            <table class="routes">
            <caption>{caption} <small>rates and shares over the last {Window(reading.Window)}, percentiles {percentiles};
            {runs.ToLowerInvariant()} are counted when they end</small></caption>
            <thead>
            <tr><th rowspan="2" scope="col">{Sort(name, 0)}</th><th rowspan="2" scope="col">{Sort(runs, 1)}</th>
            <th rowspan="2" scope="col">{Sort("per second", 2)}</th><th rowspan="2" scope="col">{Sort("Share of the machine", 3)}</th>
            {groups}{medians}</tr>
            <tr>{heads}</tr>
            </thead>
            <tbody>

            """);
        foreach ((RowReading row, string shortName) in rows.Zip(Html.Names([.. rows.Select(row => row.Row.Name)])))
        {
            BeginRow(html, row, shortName, chosen, reading.Recent);
            string failures = row.Row.Route is { } route ? Failures(route) : Failures(row.Row.WorkRow!);
            Cell(html, runs.ToLowerInvariant(), "", Quantity.Count(row.Count) + failures + Profiles(reading, row.Row));
            Cell(html, "per second", "", Quantity.Number(row.Rate));
            string kernel = row.KernelShare is { } share ? $"<small>{Quantity.Percent(share)} kernel </small>" : "";
            string after = row.AfterEndNanoseconds > 0
                ? $"<small>{Quantity.Time(row.AfterEndNanoseconds)} after the response </small>"
                : "";
            string bar = Bar(row.MachineShare, largest);
            Cell(html, "of the machine", "", $"{kernel}{after}{bar}<span>{Quantity.Percent(row.MachineShare)}</span>");
            foreach ((int i, RunFactDescription fact) in Plotted.Index())
            {
                WritePercentiles(html, ColumnOf(fact) + " ", Kinds[i], row.Row, row[fact.Fact]!.Shown);
            }

            foreach (RunFactDescription fact in others)
            {
                // The script sorts by the value of the data element.
                string bytes = row[fact.Fact] is { HasValues: true, P50: var p50 }
                    ? string.Create(CultureInfo.InvariantCulture, $"<data value=\"{p50}\">{Quantity.Bytes(p50)}</data>")
                    : Quantity.MissingOnPage;
                Cell(html, ColumnOf(fact), "", bytes);
            }

            html.Append("</tr>\n");
        }

        html.Append("</tbody>\n</table>\n</div>\n");
    }

    private static string ColumnOf(RunFactDescription fact) => $"{fact.Name} {(fact.IsPlotted ? "ms" : "(p50)")}";

    private static string HeadingOf(RunFactDescription fact) =>
        PlotFigures.Capital(fact.IsPlotted ? $"{fact.Name}, ms" : ColumnOf(fact));

    /// <summary>Appends the table of the parts of the process's CPU time.</summary>
    private static void WriteParts(StringBuilder html, PageReading reading)
    {
        CpuPart process = new("", "Process", reading.Parts.Sum(part => part.Nanoseconds))
        {
            MachineShare = reading.Parts.Sum(part => part.MachineShare),
        };
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <details>
            <summary>CPU time of the process by part</summary>
            <div class="table">
            <table class="parts">
            <caption><small>the parts do not overlap and add up to the process;
            shares over the last {Window(reading.Window)}</small></caption>
            <thead><tr><th scope="col">Part</th><th scope="col">CPU, s</th><th scope="col">Share of the machine</th></tr></thead>
            <tbody>

            """);
        foreach (CpuPart part in reading.Parts.Append(process))
        {
            html.Append(CultureInfo.InvariantCulture, $"<tr><th scope=\"row\">{part.Title}</th>");
            Cell(html, "CPU s", "", Quantity.Number(part.Nanoseconds / 1e9));
            string bar = Bar(part.MachineShare, process.MachineShare);
            Cell(html, "of the machine", "", $"{bar}<span>{Quantity.Percent(part.MachineShare)}</span>");
            html.Append("</tr>\n");
        }

        html.Append("</tbody>\n</table>\n</div>\n</details>\n");
    }

    /// <summary>Returns a link to the CPU profiles of a row's requests above the budget.</summary>
    private static string Profiles(PageReading reading, PageRow row) =>
        row.Measured is { } measured && reading.Profiles.GetValueOrDefault(measured.Label) is > 0 and var count
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"<small> <a href=\"?{PageEndpoints.ProfileParameter}={row.Id}\">{count} CPU profile{(count == 1 ? "" : "s")}</a>"
                + $"</small>")
            : "";

    /// <summary>Returns the numbers of failed, aborted and rejected requests, which are shown next to the number of requests.</summary>
    private static string Failures(RouteRow route) => Failures(
        ("4xx", route[ResponseClass.ClientError]), ("5xx", route[ResponseClass.ServerError]), ("aborted", route[ResponseClass.Aborted]),
        ("rejected", route.Rejected));

    /// <summary>Returns the numbers of failed and canceled runs, which are shown next to the number of runs.</summary>
    private static string Failures(WorkRow work) =>
        Failures(("failed", work[WorkResult.Failed]), ("canceled", work[WorkResult.Canceled]));

    private static string Failures(params (string Name, long Count)[] all)
    {
        string text = string.Join(", ", from failure in all
                                        where failure.Count > 0
                                        select $"{Quantity.Count(failure.Count)} {failure.Name}");
        return text.Length == 0 ? "" : $"<small> {text}</small>";
    }

    private static void BeginRow(StringBuilder html, RowReading reading, string name, string? chosen, RecentWindow? window)
    {
        PageRow row = reading.Row;
        string current = row.Id == chosen ? " aria-current=\"true\"" : "";
        string address = chosen is null ? $"#{row.Id}" : $"{Address(row.Id, window?.Id)}#chosen";
        string method = row.IsRoute ? $"<b>{Markup.Encode(row.Method)}</b> " : "";
        html.Append(
            CultureInfo.InvariantCulture,
            $"<tr data-id=\"{row.Id}\"><th scope=\"row\">"
            + $"<a href=\"{address}\"{current}>{method}{name}</a></th>");
    }

    private static void WritePercentiles(
        StringBuilder html, string prefix, string kind, PageRow row, IReadOnlyList<(string Name, double? Value)> shown)
    {
        foreach ((string name, double? value) in shown)
        {
            Cell(html, prefix + name, kind, Html.Number(value / row.Unit.Ratio));
            kind = ""; // only the first cell has the class, which adds a space before it
        }
    }

    /// <summary>Appends a cell with the name of its column, which is shown on screens that are too narrow for columns.</summary>
    private static void Cell(StringBuilder html, string name, string kind, string content)
    {
        string classes = kind.Length == 0 ? "" : $" class=\"{kind}\"";
        html.Append(CultureInfo.InvariantCulture, $"<td data-name=\"{name}\"{classes}>{content}</td>");
    }

    private static string Heads(string kind, int column, IReadOnlyList<string> names) => string.Concat(
        names.Select((name, place) =>
            $"<th scope=\"col\"{(kind.Length > 0 && place == 0 ? $" class=\"{kind}\"" : "")}>{Sort(name, column + place)}</th>"));

    /// <summary>Returns a column heading that sorts the rows when it is clicked.</summary>
    private static string Sort(string name, int column) =>
        string.Create(CultureInfo.InvariantCulture, $"<button type=\"button\" data-column=\"{column}\">{name}</button>");

    // The bar is relative to the largest share, because most shares of a machine with many processors are too small to be visible. It uses
    // SVG attributes, because the content security policy forbids style attributes.
    private static string Bar(double share, double largest)
    {
        double width = largest <= 0 ? 0 : Math.Round(Math.Clamp(share / largest, 0, 1) * 100, 1);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"<svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            + $"<rect width=\"100\" height=\"8\" fill=\"currentColor\" fill-opacity=\".12\"/>"
            + $"<rect width=\"{width}\" height=\"8\" fill=\"#0072B2\"/></svg>");
    }

    private static string Window(TimeSpan window) =>
        window.TotalSeconds < 1 ? "second" : Quantity.Duration(TimeSpan.FromSeconds(Math.Round(window.TotalSeconds)));
}
