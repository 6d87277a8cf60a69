using Picollo.AspNetCore.Reading;
using Picollo.Export.Html;
using Picollo.Export.Text;

namespace Picollo.AspNetCore.Page;

/// <summary>Creates the page with the current data. Its script keeps it up to date.</summary>
internal static class PageDocument
{
    /// <summary>Allows only this style, this script, the icon, and requests and forms to the origin of the page. Frames are
    /// forbidden.</summary>
    public const string ContentSecurityPolicy =
        $"default-src 'none'; style-src '{HtmlAssets.StyleHash}'; script-src '{HtmlAssets.ScriptHash}'; connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    /// <summary>The icon, which shows the curve of a latency distribution.</summary>
    internal const string Icon =
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
        + "%3Crect width='16' height='16' rx='3' fill='%230072B2'/%3E"
        + "%3Cpath d='M2 12h5q4 0 5-9' fill='none' stroke='%23fff' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

    private const int MaxApplicationLength = 160;

    /// <summary>Creates the HTML. Addresses are relative to the page, so that they are also correct behind a proxy that removes a
    /// prefix.</summary>
    public static string Create(string application, string address, PageReading reading, PageRow? chosen, string plots, string profiles)
    {
        string name = Markup.Encode(FittedText.Shorten(application, MaxApplicationLength));
        string id = chosen?.Id ?? "";
        string path = Markup.Encode(address);
        string time = TimeOf(reading);
        string heading = chosen is null ? "No histograms yet" : HeadingOf(chosen);
        string head = HtmlPage.Head($"{name} · Picollo", HtmlAssets.Style, icon: Icon);
        return $"""
            {head}<main data-address="{path}" data-show="{id}" data-window="{reading.Recent?.Id}">
            <header>
            <h1>{name}</h1>
            <p id="state" role="status">as of {time}; reload to update</p>
            </header>
            <div id="usage">
            {PageTables.Create(reading, id)}</div>
            {profiles}<section id="chosen">
            <h2>{heading}</h2>
            <p id="tools" hidden><button id="mark" type="button">Compare with now</button>
            <button id="forget" type="button">Stop comparing</button> <span id="note" role="status"></span></p>
            <div id="plots">
            {plots}</div>
            </section>
            <footer>The same data <a href="{path}/json">as JSON</a> and <a href="{path}/metrics">for Prometheus</a>.</footer>
            </main>
            <div id="tip" role="status" hidden></div>
            <script>{HtmlAssets.Script}</script>
            </body>
            </html>

            """.ReplaceLineEndings("\n");
    }

    /// <summary>Creates a page that is not updated, with the plots of several rows.</summary>
    public static string CreateReport(string application, PageReading reading, IReadOnlyList<(PageRow Row, string Plots)> rows)
    {
        string name = Markup.Encode(FittedText.Shorten(application, MaxApplicationLength));
        string head = HtmlPage.Head($"{name} · Picollo", HtmlAssets.Style, icon: Icon);
        IEnumerable<string> plots = rows.Select(static row => $"""
            <section id="{row.Row.Id}">
            <h2>{HeadingOf(row.Row)}</h2>
            <div class="plots">
            {row.Plots}</div>
            </section>

            """);
        return $"""
            {head}<main>
            <header>
            <h1>{name}</h1>
            <p>from the start to {TimeOf(reading)}</p>
            </header>
            {PageTables.Create(reading, chosen: null)}{string.Concat(plots)}</main>
            </body>
            </html>

            """.ReplaceLineEndings("\n");
    }

    private static string TimeOf(PageReading reading) =>
        string.Create(CultureInfo.InvariantCulture, $"{reading.Time.UtcDateTime:yyyy-MM-dd HH:mm:ss} UTC");

    private static string HeadingOf(PageRow row) =>
        (row.IsRoute ? $"<b>{Markup.Encode(row.Method)}</b> " : "") + Html.Heading(row.Name);
}
