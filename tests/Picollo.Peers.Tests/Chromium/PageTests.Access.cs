using System.Text;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Tests.Page;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests the access to the page.</summary>
public sealed partial class PageTests
{
    // With no-referrer, browsers send "Origin: null".
    private const string PageOfOtherSite = "<meta name=\"referrer\" content=\"{0}\"><form method=\"post\" action=\"{1}\"><button>Win</button></form>";

    /// <summary>Browsers send Sec-Fetch-Site only to addresses that they trust: localhost, loopback addresses and https.</summary>
    [TheoryNeeding(Need.Chromium, Need.PerfEvents)]
    [InlineData("127.0.0.1")]
    [InlineData(Browser.UntrustedHost)]
    public async Task Without_the_script_the_button_opens_a_profile_on_every_host(string host)
    {
        await using PageServer server = await StartOpenAsync();
        await WithoutScriptsAsync(async () =>
        {
            await Page.NavigateAsync($"http://{host}:{server.Address.Port}/picollo");
            await EvaluateAsync("document.querySelector('#profile button').click()");
            await UntilAsync("location.search.startsWith('?profile=')");
        });
    }

    [TheoryNeeding(Need.Chromium)]
    [InlineData("127.0.0.1", "no-referrer")]
    [InlineData("127.0.0.1", "unsafe-url")]
    [InlineData(Browser.UntrustedHost, "no-referrer")]
    [InlineData(Browser.UntrustedHost, "unsafe-url")]
    public async Task A_form_on_a_page_of_another_site_does_not_take_a_profile(string host, string policy)
    {
        await using PageServer server = await StartOpenAsync();
        await using PageServer other = await PageServer.StartAsync(application => application.MapGet("/", () => Results.Content(
            string.Format(null, CompositeFormat.Parse(PageOfOtherSite), policy, $"http://{host}:{server.Address.Port}/picollo"), "text/html")));
        await WithoutScriptsAsync(async () =>
        {
            await Page.NavigateAsync($"http://localhost:{other.Address.Port}/");
            await EvaluateAsync("document.querySelector('button').click()");
            await UntilAsync("document.body.textContent === 'A page on another site cannot take a profile.'");
        });
    }

    [FactNeeding(Need.Chromium)]
    public async Task The_logged_address_opens_the_page_and_the_browser_does_not_show_the_token()
    {
        await using PageServer server = await PageServer.StartAsync();
        string logged = AddressWithToken(server);
        await SendHeaderAsync(true);
        try
        {
            await Page.NavigateAsync(logged);
            await UntilAsync(Live);
            (await TextAsync("location.href")).Should().Be(logged.Split('#')[0]);
            (await TextAsync("document.cookie")).Should().BeEmpty("scripts cannot read the cookie");
            (await ShowAsync(server)).Should().BeEmpty("the browser sends the cookie");
            await UntilAsync(Live);
        }
        finally
        {
            await SendHeaderAsync(false);
        }
    }

    [FactNeeding(Need.Chromium)]
    public async Task Without_the_script_the_token_is_entered_in_a_form()
    {
        await using PageServer server = await PageServer.StartAsync();
        string[] parts = AddressWithToken(server).Split("#token=");
        await SendHeaderAsync(true);
        try
        {
            await WithoutScriptsAsync(async () =>
            {
                await Page.NavigateAsync(string.Join("#token=", parts));
                await CheckTextsAsync("page-token");
                (await TextAsync("document.querySelector('p').textContent")).Should().Contain("the application logged");
                await EvaluateAsync($"document.querySelector('input').value = '{parts[1]}'; document.querySelector('button').click()");
                await UntilAsync("document.getElementById('state') !== null");
                (await TextAsync("location.href")).Should().Be(parts[0], "the redirect removes the token");
            });
        }
        finally
        {
            await SendHeaderAsync(false);
        }
    }

    private static Task<PageServer> StartOpenAsync() => PageServer.StartAsync(
        application => application.MapPicollo().AllowAnonymous(),
        options => options.EnableProfiling = true,
        builder => builder.Services.AddSingleton<TimeProvider>(new FastTimers(20)));

    private static string AddressWithToken(PageServer server)
    {
        const string Start = "Picollo's page: ";
        string line = server.Log.Lines.Single(line => line.Contains(Start, StringComparison.Ordinal));
        return line[(line.IndexOf(Start, StringComparison.Ordinal) + Start.Length)..];
    }

    /// <summary>Lets the browser send the header with which the server does not find the browser's user.</summary>
    private async Task SendHeaderAsync(bool isUnknown)
    {
        await Page.SendAsync("Network.enable");
        await Page.SendAsync(
            "Network.setExtraHTTPHeaders", new() { ["headers"] = isUnknown ? new JsonObject { [PageServer.UnknownUser] = "1" } : new JsonObject() });
    }
}
