using System.Globalization;
using System.Text;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Reading;
using Picollo.Cpu;
using Picollo.Export.Text;

namespace Picollo.AspNetCore.Page;

/// <content>The states of requests and named work: a bar for the mean, the runs around the median, and those above the 99th
/// percentile.</content>
internal static partial class PageTables
{
    // The table is sent each second.
    private const int MaxLatencyRows = 30;

    // A bar names its largest states in text, so that the page is complete without colors.
    private const int NamedStates = 3;
    private const double LeastNamedShare = 0.02;

    // No sentence about shorter times: a request that takes microseconds has no fault.
    private const double LeastNamedNanoseconds = 1e6;

    // The colors of Okabe and Ito, which color-blind readers can distinguish, in an order in which neighbors also differ in grey.
    private static readonly (LatencyState State, string Color, string Title, string Meaning)[] ShownStates =
    [
        (LatencyState.Cpu, "#0072B2", "CPU", "runs on a CPU"),
        (LatencyState.RunQueue, "#9BD3F5", "run queue", "waits for a CPU"),
        (LatencyState.GarbageCollection, "#7A3E66", "GC", "is stopped by garbage collections"),
        (LatencyState.Lock, "#F09A5B", "lock", "waits for locks"),
        (LatencyState.Blocked, "#A33E00", "blocked", "blocks its thread (synchronous I/O, a sleep, Task.Wait)"),
        (LatencyState.PoolQueue, "#C9B000", "pool queue", "waits for a thread of the pool"),
        (LatencyState.Await, "#6B7580", "await", "awaits something (another service, a database, a timer)"),
    ];

    private static void WriteLatency(StringBuilder html, PageReading reading)
    {
        RowReading[] rows =
        [
            .. reading.Routes.Concat(reading.Work).Where(row => row.Latency?.Mean is not null)
                .OrderByDescending(row => row.Latency!.Count * row.Latency.Mean!.Wall)
                .Take(MaxLatencyRows),
        ];
        if (rows.Length == 0)
        {
            return;
        }

        string window = reading.Recent is null ? "since the start" : $"over the last {Window(reading.RecentTime)}";
        string legend = string.Concat(
            ShownStates.Select(state => $"<li title=\"it {state.Meaning}\">{Swatch(state.State)} {state.Title}</li>"));
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <div class="table">
            <table class="latency">
            <caption>Where the time goes <small>{window}; in thin parts, no thread is in use; striped parts are estimates</small></caption>
            <thead><tr><th scope="col">Route or work</th><th scope="col">Mean</th><th scope="col">Around p50</th>
            <th scope="col">Above p99</th></tr></thead>
            <tbody>

            """);
        foreach ((RowReading row, string name) in rows.Zip(Html.Names([.. rows.Select(row => row.Row.Name)])))
        {
            string method = row.Row.IsRoute ? $"<b>{Export.Html.Markup.Encode(row.Row.Method)}</b> " : "";
            html.Append(
                CultureInfo.InvariantCulture, $"<tr><th scope=\"row\">{method}{name}<small>{SentenceOf(row.Latency!)}</small></th>");
            Cell(html, "mean", "states", StateBar(row.Latency!.Mean));
            Cell(html, "around p50", "states", StateBar(row.Latency.Middle));
            Cell(html, "above p99", "states", StateBar(row.Latency.High));
            html.Append("</tr>\n");
        }

        html.Append(CultureInfo.InvariantCulture, $"</tbody>\n</table>\n</div>\n<ul class=\"legend\">{legend}</ul>\n");
        if (reading.CanMeasureWaits)
        {
            html.Append("<p class=\"nothing\"><a href=\"#profiles\">Waits</a>: which methods wait for what.</p>\n");
        }

        if (reading.MissingStates is { } reason)
        {
            html.Append(CultureInfo.InvariantCulture, $"<p class=\"nothing\">{Export.Html.Markup.Encode(reason)}</p>\n");
        }
    }

    /// <summary>Returns the largest state of the slowest requests, or of all if there are too few, as a sentence; empty if the
    /// time is too short for a fault.</summary>
    internal static string SentenceOf(LatencySums latency)
    {
        (string which, LatencyShares shares) = latency.High is { } high ? ("Above p99", high) : ("On average", latency.Mean!);
        if (shares.Wall <= 0)
        {
            return "";
        }

        (LatencyState state, _, _, string meaning) = ShownStates.MaxBy(state => shares[state.State] ?? 0);
        double time = shares[state]!.Value;
        return time < LeastNamedNanoseconds ? "" : $"{which}, it {meaning} for {Quantity.Percent(time / shares.Wall)} of the time";
    }

    /// <summary>Returns the duration, a bar of the states, and the largest states in text; a dash for null.</summary>
    private static string StateBar(LatencyShares? shares)
    {
        if (shares is not { Wall: > 0 and var wall })
        {
            return Quantity.MissingOnPage;
        }

        StringBuilder bar = new();
        double start = 0;
        foreach ((LatencyState state, string color, string title, _) in ShownStates)
        {
            double share = (shares[state] ?? 0) / wall;
            if (share > 0)
            {
                string fill = shares.IsEstimated(state) ? $"url(#{EstimateOf(state)})" : color;
                bar.Append(
                    CultureInfo.InvariantCulture,
                    $"<rect x=\"{start * 100:0.##}\" width=\"{Math.Max(share * 100, 0.01):0.##}\" {HeightOf(state)} fill=\"{fill}\">"
                    + $"<title>{title} {Quantity.Time(share * wall)}</title></rect>");
                start += share;
            }
        }

        string text = string.Join(", ", ShownStates.Select(state => (state.Title, Share: (shares[state.State] ?? 0) / wall))
            .Where(state => state.Share >= LeastNamedShare)
            .OrderByDescending(state => state.Share)
            .Take(NamedStates)
            .Select(state => $"{state.Title} {Quantity.Percent(state.Share)}"));
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Quantity.Time(wall)}<svg class=\"states\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" "
            + $"aria-label=\"{text}\">{bar}</svg><small>{text}</small>");
    }

    /// <summary>Returns the symbol of a state. That of a state that can be an estimate also defines the stripes.</summary>
    private static string Swatch(LatencyState state)
    {
        string color = ShownStates.First(shown => shown.State == state).Color;
        string stripes = state is not (LatencyState.PoolQueue or LatencyState.GarbageCollection) ? "" :
            $"<defs><pattern id=\"{EstimateOf(state)}\" width=\"2\" height=\"10\" patternUnits=\"userSpaceOnUse\">"
            + $"<rect width=\"2\" height=\"10\" fill=\"{color}\" fill-opacity=\".4\"/>"
            + $"<rect width=\"1.2\" height=\"10\" fill=\"{color}\"/></pattern></defs>";
        return $"<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\">{stripes}<rect width=\"10\" {HeightOf(state)} fill=\"{color}\"/></svg>";
    }

    // Without colors, the states in which no thread runs the flow differ from the others by their height.
    private static string HeightOf(LatencyState state) =>
        state is LatencyState.PoolQueue or LatencyState.Await ? "y=\"2.5\" height=\"5\"" : "height=\"10\"";

    private static string EstimateOf(LatencyState state) => $"estimated-{state.Name()}";
}
