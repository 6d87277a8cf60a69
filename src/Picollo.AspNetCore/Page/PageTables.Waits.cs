using System.Globalization;
using System.Text;
using Picollo.Cpu;
using Picollo.Export.Html;
using Picollo.Export.Text;
using Picollo.Profiling.Waits;

namespace Picollo.AspNetCore.Page;

/// <content>The table of waits.</content>
internal static partial class PageTables
{
    /// <summary>Creates the table of waits, by route. Waits that belong to no route are last.</summary>
    public static string Waits(WaitProfile waits)
    {
        if (waits.Rows.Count == 0)
        {
            return "<p class=\"nothing\">No waits.</p>\n";
        }

        StringBuilder html = new(
            """
            <div class="table">
            <table class="waits">
            <thead><tr><th scope="col">Route or work</th><th scope="col">Waits for</th><th scope="col">In method</th>
            <th scope="col">Waits</th><th scope="col">Total</th><th scope="col">Mean</th><th scope="col">Longest</th></tr></thead>
            <tbody>

            """);
        foreach (WaitRow row in waits.Rows.GroupBy(row => row.Label)
            .OrderBy(route => route.Key == FlowLabel.None)
            .ThenByDescending(route => route.Sum(row => row.Total.Ticks))
            .SelectMany(route => route))
        {
            string method = row.Label.Method.Length > 0 ? $"<b>{Markup.Encode(row.Label.Method)}</b> " : "";
            html.Append(CultureInfo.InvariantCulture, $"<tr><th scope=\"row\">{method}{Html.Name(row.Label.Name)}</th>");
            Cell(html, "waits for", "", row.Kind.Length > 0 ? Html.Name(row.Kind) : Quantity.MissingOnPage);
            Cell(html, "in method", "", row.Method.Length > 0 ? Html.Heading(row.Method) : Quantity.MissingOnPage);
            Cell(html, "waits", "", Quantity.Count(row.Count));
            Cell(html, "total", "", Quantity.Time(row.Total.TotalNanoseconds));
            Cell(html, "mean", "", Quantity.Time(row.Total.TotalNanoseconds / Math.Max(row.Count, 1)));
            Cell(html, "longest", "", Quantity.Time(row.Longest.TotalNanoseconds));
            html.Append("</tr>\n");
        }

        return html.Append("</tbody>\n</table>\n</div>\n").ToString();
    }
}
