using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>A VictoriaMetrics server on a free port of this machine. Its data is deleted when it ends.</summary>
internal sealed class VictoriaMetricsServer : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-victoria-").FullName;
    private readonly HttpClient _client = new();
    private readonly Process _process;

    private VictoriaMetricsServer()
    {
        using TcpListener free = new(IPAddress.Loopback, 0);
        free.Start();
        Address = new Uri($"http://{free.LocalEndpoint}/");
        free.Stop();
        ProcessStartInfo start = new(Needs.VictoriaMetrics)
        {
            ArgumentList =
            {
                "-httpListenAddr=" + Address.Authority, "-storageDataPath=" + _folder, "-opentelemetry.usePrometheusNaming", "-search.latencyOffset=0s",
                "-memory.allowedBytes=256MB",
            },
            RedirectStandardError = true,
            RedirectStandardOutput = true,
        };
        _process = Process.Start(start)!;
        _process.BeginErrorReadLine();
        _process.BeginOutputReadLine();
    }

    public Uri Address { get; }

    public Uri Endpoint => new(Address, "opentelemetry/v1/metrics");

    public static async Task<VictoriaMetricsServer> StartAsync()
    {
        VictoriaMetricsServer server = new();
        Stopwatch elapsed = Stopwatch.StartNew();
        while (true)
        {
            try
            {
                await server._client.GetStringAsync(new Uri(server.Address, "health"));
                return server;
            }
            catch (HttpRequestException) when (elapsed.Elapsed < Patience && !server._process.HasExited)
            {
                await Task.Delay(100);
            }
        }
    }

    /// <summary>Returns the labels and values of all series that a query returns.</summary>
    public async Task<IReadOnlyList<(IReadOnlyDictionary<string, string> Labels, double Value)>> Query(string query)
    {
        await _client.GetStringAsync(new Uri(Address, "internal/force_flush"));
        string json = await _client.GetStringAsync(new Uri(Address, $"api/v1/query?nocache=1&query={Uri.EscapeDataString(query)}"));
        using JsonDocument document = JsonDocument.Parse(json);
        return [.. document.RootElement.GetProperty("data").GetProperty("result").EnumerateArray().Select(series => (
            (IReadOnlyDictionary<string, string>)series.GetProperty("metric").EnumerateObject().ToDictionary(label => label.Name, label => label.Value.GetString()!),
            double.Parse(series.GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture)))];
    }

    /// <summary>Waits until a query returns a value, because received data is visible with a delay.</summary>
    public async Task WaitFor(string query, double value)
    {
        Stopwatch elapsed = Stopwatch.StartNew();
        while (await Query(query) is var series && (series.Count != 1 || series[0].Value != value))
        {
            if (elapsed.Elapsed > Patience)
            {
                throw new TimeoutException($"{query} gives {string.Join(", ", series.Select(one => one.Value))} after {Patience}.");
            }

            await Task.Delay(100);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
