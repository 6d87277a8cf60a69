using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.AspNetCore.Builder;
using Picollo.AspNetCore.Page;
using Picollo.Samples.Web;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>
/// Tests the README's picture of the page, which is taken from samples/WebApi under load. It is an SVG that contains the page of the browser as
/// text instead of pixels. PICOLLO_APPROVE=1 takes it again.
/// </summary>
public sealed class PictureTests(Browser browser) : BrowserTests(browser)
{
    private const int Width = 1440; // wide enough for tables instead of cards
    private static readonly XNamespace Xhtml = "http://www.w3.org/1999/xhtml";
    private static readonly string Place = Path.Combine(Repository.Root, "docs", "page.svg");

    [FactNeeding(Need.Chromium)]
    public async Task The_readme_shows_the_current_page()
    {
        bool isUpdate = Environment.GetEnvironmentVariable("PICOLLO_APPROVE") == "1";
        await using WebApplication application = Api.Create(["--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None"]);
        await application.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(application.Urls.Single()) };
        await Load.SendAsync(client, TimeSpan.FromSeconds(isUpdate ? 20 : 1), CancellationToken.None);
        string taken = await TakeAsync(client);
        if (isUpdate)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Place)!);
            await File.WriteAllTextAsync(Place, taken);
        }

        string shown = (await File.ReadAllTextAsync(Place)).ReplaceLineEndings("\n");
        shown.Length.Should().BeInRange(10_000, 100_000);
        (await Browser.ShowAsync("page.svg", shown, Width)).Should().BeEmpty();
        await Browser.KeepAsync("readme-picture");
        (await NumberAsync("document.querySelector('main').getBoundingClientRect().width")).Should().Be(Width);
        double height = (double)XElement.Parse(shown).Attribute("height")!;
        (await NumberAsync("document.querySelector('main').getBoundingClientRect().height"))
            .Should().BeInRange(0.9 * height, 1.1 * height, "the picture ends where the page ends; fonts differ between machines");
        (await NumberAsync("[...document.querySelectorAll('.table')].filter(one => one.scrollWidth > one.clientWidth).length")).Should().Be(0, "no table is cut off");
        foreach (Func<XElement, IEnumerable<string>> part in new[] { Styles, Headings, Names })
        {
            part(XElement.Parse(shown)).Should().Equal(part(XElement.Parse(taken)), "it is a picture of the current page; PICOLLO_APPROVE=1 takes it again");
        }
    }

    private async Task<string> TakeAsync(HttpClient client)
    {
        await Page.ResizeAsync(Width, 900, isDark: false);
        await Page.NavigateAsync(new Uri(client.BaseAddress!, "picollo").AbsoluteUri);
        await UntilAsync("document.getElementById('state').className === 'live'");
        await Load.SendAsync(client, TimeSpan.FromSeconds(1), CancellationToken.None);
        JsonNode picture = (await Page.EvaluateAsync(
            """
            (() => {
              const main = document.querySelector("main").cloneNode(true);
              for (const strip of main.querySelectorAll("figure rect[fill-opacity='0']")) strip.remove();
              return { main: new XMLSerializer().serializeToString(main), height: document.querySelector("main").offsetHeight };
            })()
            """))!;

        // If the picture is shown small, it is the scaled page and not the layout for small screens.
        string style = Regex.Replace(Picollo.AspNetCore.HtmlAssets.Style, @"/\*.*?\*/\n?", "", RegexOptions.Singleline); // comments may change
        style = style[..style.IndexOf("@media (max-width", StringComparison.Ordinal)];
        return $"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {Width} {picture["height"]}" width="{Width}" height="{picture["height"]}">
            <title>Picollo's page of samples/WebApi</title>
            <style>{style}</style>
            <foreignObject width="100%" height="100%">
            <body xmlns="http://www.w3.org/1999/xhtml">
            {(string)picture["main"]!}
            </body>
            </foreignObject>
            </svg>

            """.ReplaceLineEndings("\n");
    }

    private static IEnumerable<string> Styles(XElement picture) => picture.Descendants().Where(one => one.Name.LocalName == "style").Select(one => one.Value);

    private static IEnumerable<string> Headings(XElement picture) =>
        [.. picture.Descendants(Xhtml + "thead").Select(one => one.Value), .. picture.Descendants(Xhtml + "dt").Select(one => one.Value)];

    // Excludes the reasons of garbage collections, which depend on the machine.
    private static IEnumerable<string> Names(XElement picture) => picture.Descendants(Xhtml + "bdi").Select(one => one.Value)
        .Where(name => !name.StartsWith("/picollo", StringComparison.Ordinal) && !name.StartsWith("dotnet.gc.pause", StringComparison.Ordinal))
        .Distinct().Order();
}
