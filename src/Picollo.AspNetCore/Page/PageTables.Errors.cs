using System.Globalization;
using System.Text;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Reading;
using Picollo.Export.Html;
using Picollo.Export.Text;

namespace Picollo.AspNetCore.Page;

/// <content>The table of errors.</content>
internal static partial class PageTables
{
    /// <summary>Appends the requests that failed, by the type of the error.</summary>
    private static void WriteErrors(StringBuilder html, PageReading reading)
    {
        (RouteRow Route, Outcome Outcome, long Count)[] errors =
        [
            .. from usage in reading.Routes
               from duration in usage.Row.Route!.Durations
               where duration.Outcome is { ErrorType: not null }
               orderby duration.Count descending
               select (usage.Row.Route, duration.Outcome!.Value, duration.Count),
        ];
        if (errors.Length == 0)
        {
            return;
        }

        html.Append(
            """
            <details>
            <summary>Errors by type, since the start</summary>
            <div class="table">
            <table class="parts">
            <thead><tr><th scope="col">Route</th><th scope="col">Status</th><th scope="col">Error type</th>
            <th scope="col">Requests</th></tr></thead>
            <tbody>

            """);
        foreach ((RouteRow route, Outcome outcome, long count) in errors)
        {
            html.Append(
                CultureInfo.InvariantCulture,
                $"<tr><th scope=\"row\"><b>{Markup.Encode(route.Method)}</b> {Html.Name(route.Route)}</th>");
            Cell(html, "status", "", Status(outcome));
            Cell(html, "error type", "", $"<code>{Markup.Encode(outcome.ErrorType!)}</code>");
            Cell(html, "requests", "", Quantity.Count(count));
            html.Append("</tr>\n");
        }

        html.Append("</tbody>\n</table>\n</div>\n</details>\n");
    }
}
