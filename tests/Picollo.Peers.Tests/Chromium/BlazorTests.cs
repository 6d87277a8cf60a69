using System.Text.Json;
using Picollo.Peers.Tests.Prometheus;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Tests a Blazor circuit, which is one request while the browser shows the page.</summary>
public sealed class BlazorTests(Browser browser) : BrowserTests(browser)
{
    private const double BurntSeconds = 0.2;

    // The configuration of this build: Debug or Release.
    private static readonly string Program = Path.Combine(
        Repository.Root, "tests", "BlazorApp", Path.GetRelativePath(Path.Combine(Repository.Root, "tests", "Picollo.Peers.Tests"), AppContext.BaseDirectory),
        "BlazorApp.dll");

    [FactNeeding(Need.Chromium)]
    public async Task The_CPU_time_of_a_circuit_is_counted_at_each_click_and_not_only_at_its_end()
    {
        await using SampleProcess app = new(Program);
        await Page.ResizeAsync(800, 600, false);
        await Page.NavigateAsync(app.Address.AbsoluteUri);

        await UntilAsync("document.querySelector('button') !== null"); // the circuit is connected
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
        await EvaluateAsync("document.querySelector('button').click()");
        await UntilAsync($"document.querySelector('output').textContent === '{number}'");
    }

    private static async Task<double> CircuitSecondsAsync(SampleProcess app)
    {
        using JsonDocument usage = await app.GetJson("/picollo/json");
        return Rows(usage).Where(row => row.GetProperty("route").GetString()!.StartsWith("/_blazor", StringComparison.Ordinal))
            .Sum(row => row.GetProperty("cpuSecondsTotal").GetDouble());
    }

    private static JsonElement[] Rows(JsonDocument usage) => [.. usage.RootElement.GetProperty("routes").EnumerateArray()];
}
