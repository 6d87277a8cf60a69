using System.Text.Json;
using Picollo.Peers.Tests.Prometheus;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>A Blazor circuit, which is one request for as long as the browser shows the page.</summary>
public sealed class BlazorTests(Browser browser) : IClassFixture<Browser>
{
    private const double BurntSeconds = 0.2;

    // Of this build: Debug or Release.
    private static readonly string Program = Path.Combine(
        Repository.Root, "tests", "BlazorApp", Path.GetRelativePath(Path.Combine(Repository.Root, "tests", "Picollo.Peers.Tests"), AppContext.BaseDirectory),
        "BlazorApp.dll");

    [FactNeeding(Need.Chromium)]
    public async Task What_a_circuit_takes_is_seen_at_each_click_and_not_when_it_ends()
    {
        await using SampleProcess app = new(Program);
        await browser.Page.ResizeAsync(800, 600, false);
        await browser.Page.NavigateAsync(app.Address.AbsoluteUri);

        await UntilAsync("document.querySelector('button') !== null"); // with the circuit
        double none = await CircuitSecondsAsync(app);
        await ClickAsync(1);
        double first = await CircuitSecondsAsync(app);
        await ClickAsync(2);
        double second = await CircuitSecondsAsync(app);
        using JsonDocument usage = await app.GetJson("/picollo/json");
        JsonElement running = usage.RootElement.GetProperty("running");

        (first - none).Should().BeGreaterThanOrEqualTo(BurntSeconds);
        (second - first).Should().BeGreaterThanOrEqualTo(BurntSeconds);
        running.GetProperty("longLived").GetInt32().Should().Be(1);
        running.GetProperty("mostExpensive").GetProperty("name").GetString().Should().Be("/_blazor (long-lived)");
        Rows(usage).Select(row => row.GetProperty("route").GetString()).Should().Contain("/").And.Contain("(static files)");
    }

    private async Task ClickAsync(int number)
    {
        await browser.Page.EvaluateAsync("document.querySelector('button').click()");
        await UntilAsync($"document.querySelector('output').textContent === '{number}'");
    }

    private static async Task<double> CircuitSecondsAsync(SampleProcess app)
    {
        using JsonDocument usage = await app.GetJson("/picollo/json");
        return Rows(usage).Where(row => row.GetProperty("route").GetString()!.StartsWith("/_blazor", StringComparison.Ordinal))
            .Sum(row => row.GetProperty("cpuSecondsTotal").GetDouble());
    }

    private static JsonElement[] Rows(JsonDocument usage) => [.. usage.RootElement.GetProperty("routes").EnumerateArray()];

    private async Task UntilAsync(string condition)
    {
        for (int i = 0; i < 300; i++)
        {
            if ((bool)(await browser.Page.EvaluateAsync(condition))!)
            {
                return;
            }

            await Task.Delay(100);
        }

        Assert.Fail($"It has not come true: {condition}");
    }
}
