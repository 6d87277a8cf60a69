using System.Text.Json.Nodes;
using Picollo.AspNetCore.Requests;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Metrics;

namespace Picollo.Chromium.Tests;

/// <summary>The web application's page as a browser shows it. Pictures for people to look at are left in artifacts/test-results/chromium.</summary>
public sealed class PageTests(Browser browser) : IClassFixture<Browser>
{
    private const int Narrow = 400;
    private const int Wide = 1200;

    private static readonly (string Method, string Route, double CpuMilliseconds, double WallMilliseconds, int Count)[] Usual =
    [
        ("GET", "/orders/{id:int}", 1.2, 14, 9000),
        ("POST", "/orders", 4.5, 32, 1200),
        ("GET", "/orders/{id:int}/items/{item}", 0.4, 3, 4000),
        ("GET", "/report/{year}", 180, 240, 60),
        ("DELETE", "/orders/{id:int}", 0.9, 11, 70),
        ("_OTHER", "(unmatched)", 0.05, 0.09, 300),
    ];

    [ChromiumTheory]
    [InlineData(Narrow, false)]
    [InlineData(Narrow, true)]
    [InlineData(Wide, false)]
    [InlineData(Wide, true)]
    [InlineData(820, false)]
    [InlineData(920, false)]
    public async Task It_looks(int width, bool isDark)
    {
        await using PageServer server = await PageServer.StartAsync();
        Fill(server);
        await browser.Page.ResizeAsync(width, 900, isDark);
        IReadOnlyList<string> complaints = await browser.Page.NavigateAsync(new Uri(server.Address, "picollo").AbsoluteUri);
        await Task.Delay(1500);
        await browser.KeepAsync($"page-{width}-{(isDark ? "dark" : "light")}");
        await browser.Page.EvaluateAsync("document.getElementById('mark').click()");
        await Task.Delay(1500);
        Fill(server, 2);
        await Task.Delay(2500);
        await browser.KeepAsync($"page-marked-{width}-{(isDark ? "dark" : "light")}");
        complaints.Should().BeEmpty();
        browser.Page.Complaints.Should().BeEmpty();
        await browser.Page.EvaluateAsync("sessionStorage.clear()");
    }

    private static void Fill(PageServer server, double factor = 1)
    {
        Random random = new(5);
        foreach ((string method, string route, double cpu, double wall, int count) in Usual)
        {
            for (int i = 0; i < count / 4; i++)
            {
                double tail = 1 / Math.Pow(1 - random.NextDouble(), 0.3) * (0.7 + (0.6 * random.NextDouble())) * factor;
                server.Count(method, route, (ulong)(cpu * 1e6 * tail), (ulong)(wall * 1e6 * tail));
            }
        }

        InterlockedHdrHistogram<uint> sizes = server.Registry.GetOrAdd(
            "order_size", () => HdrHistogram.Factory.WithInterlocked().Create(), new HdrHistogramDescription { Unit = "bytes" }, ("shop", "berlin"));
        for (int i = 0; i < 500; i++)
        {
            sizes.Record((ulong)(200 + (5000 * random.NextDouble() * random.NextDouble())));
        }
    }
}
