using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>A VictoriaMetrics server.</summary>
internal sealed class VictoriaMetricsServer : OtlpPeer
{
    public override Uri Endpoint => new(Address, "opentelemetry/v1/metrics");

    protected override string HealthPath => "health";

    public static async Task<VictoriaMetricsServer> StartNewAsync()
    {
        VictoriaMetricsServer server = new();
        await server.StartAsync();
        return server;
    }

    /// <summary>Returns the labels and values of all series that a query returns.</summary>
    public async Task<IReadOnlyList<(IReadOnlyDictionary<string, string> Labels, double Value)>> Query(string query)
    {
        await Client.GetStringAsync(new Uri(Address, "internal/force_flush"));
        string json = await Client.GetStringAsync(new Uri(Address, $"api/v1/query?nocache=1&query={Uri.EscapeDataString(query)}"));
        using JsonDocument document = JsonDocument.Parse(json);
        return [.. document.RootElement.GetProperty("data").GetProperty("result").EnumerateArray().Select(series => (
            (IReadOnlyDictionary<string, string>)series.GetProperty("metric").EnumerateObject().ToDictionary(label => label.Name, label => label.Value.GetString()!),
            double.Parse(series.GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture)))];
    }

    /// <summary>Waits until a query returns a value, because received data is visible with a delay.</summary>
    public Task WaitFor(string query, double value) =>
        UntilAsync($"{query} gives {value}", async () => await Query(query) is [var series] && series.Value == value);

    public override async Task<ulong?> CountAsync(string histogram) =>
        await Query($"{histogram.Replace('.', '_')}_seconds_count") is [.., var series] ? (ulong)series.Value : null;

    protected override ProcessStartInfo StartInfo() => new(Needs.VictoriaMetrics)
    {
        ArgumentList =
        {
            "-httpListenAddr=" + Address.Authority, "-storageDataPath=" + Folder, "-opentelemetry.usePrometheusNaming", "-search.latencyOffset=0s",
            "-memory.allowedBytes=256MB",
        },
    };
}
