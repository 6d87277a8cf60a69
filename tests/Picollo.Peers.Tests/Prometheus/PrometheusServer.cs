using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>A Prometheus server on a free port of this machine that scrapes each second. Its data is deleted when it ends.</summary>
internal sealed partial class PrometheusServer : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-prometheus-").FullName;
    private readonly List<string> _log = [];
    private readonly TaskCompletionSource<string> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly HttpClient _client = new();
    private readonly Process _process;

    /// <summary>The arguments with which Prometheus requests protobuf and scrapes native histograms.</summary>
    public static readonly string[] WithNativeHistograms = ["--enable-feature=native-histograms"];

    /// <summary>Returns the arguments with which Prometheus stores exemplars, and optionally scrapes native histograms.</summary>
    public static string[] WithExemplars(bool native) => [$"--enable-feature=exemplar-storage{(native ? ",native-histograms" : "")}"];

    public PrometheusServer(IEnumerable<Uri> targets, string path = "/metrics", string[]? arguments = null, params string[] ruleFiles)
    {
        string config = Path.Combine(_folder, "prometheus.yml");
        File.WriteAllText(config, $"""
            global:
              scrape_interval: 1s
              scrape_timeout: 1s
              evaluation_interval: 1s
            rule_files: [{string.Join(", ", ruleFiles.Select(Quoted))}]
            scrape_configs:
              - job_name: fleet
                metrics_path: {path}
                static_configs:
                  - targets: [{string.Join(", ", targets.Select(target => Quoted(target.Authority)))}]
            """);
        ProcessStartInfo start = new("prometheus")
        {
            ArgumentList = { "--config.file=" + config, "--storage.tsdb.path=" + Path.Combine(_folder, "data"), "--web.listen-address=127.0.0.1:0" },
            RedirectStandardError = true,
        };
        foreach (string argument in arguments ?? [])
        {
            start.ArgumentList.Add(argument);
        }

        _process = Process.Start(start)!;
        _process.ErrorDataReceived += (_, line) => ReadLog(line.Data);
        _process.BeginErrorReadLine();
    }

    /// <summary>Returns the single value of a query at a moment, now by default.</summary>
    public async Task<double> Query(string query, DateTimeOffset? time = null)
    {
        IReadOnlyList<double> values = await QueryAll(query, time);
        return values.Count == 1 ? values[0] : throw new InvalidOperationException($"{query} gives {values.Count} values, not 1.\n{Log}");
    }

    /// <summary>Returns the values of all series of a query at a moment.</summary>
    public async Task<IReadOnlyList<double>> QueryAll(string query, DateTimeOffset? time = null)
    {
        string at = time is { } moment ? string.Create(CultureInfo.InvariantCulture, $"&time={moment.ToUnixTimeMilliseconds() / 1e3:R}") : "";
        using JsonDocument document = await GetAsync($"query?query={Uri.EscapeDataString(query)}{at}");
        return [.. document.RootElement.GetProperty("data").GetProperty("result").EnumerateArray()
            .Select(series => double.Parse(series.GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture))];
    }

    /// <summary>Returns the trace IDs and values of the exemplars of all series of a query.</summary>
    public async Task<IReadOnlyList<(string TraceId, double Value)>> QueryExemplars(string query)
    {
        long now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        using JsonDocument document = await GetAsync($"query_exemplars?query={Uri.EscapeDataString(query)}&start={now - 600}&end={now + 600}");
        return [.. document.RootElement.GetProperty("data").EnumerateArray().SelectMany(series => series.GetProperty("exemplars").EnumerateArray())
            .Select(one => (one.GetProperty("labels").GetProperty("trace_id").GetString()!, double.Parse(one.GetProperty("value").GetString()!, CultureInfo.InvariantCulture)))];
    }

    /// <summary>Returns the lines of the log that contain a text.</summary>
    public IEnumerable<string> LogLines(string text) => Log.Split('\n').Where(line => line.Contains(text, StringComparison.Ordinal));

    /// <summary>Returns whether a query currently returns a finite number or a native histogram.</summary>
    public async Task<bool> HasData(string query)
    {
        using JsonDocument document = await GetAsync($"query?query={Uri.EscapeDataString(query)}");
        return document.RootElement.GetProperty("data").GetProperty("result").EnumerateArray().Any(series =>
            series.TryGetProperty("histogram", out _)
            || (double.TryParse(series.GetProperty("value")[1].GetString(), CultureInfo.InvariantCulture, out double value) && double.IsFinite(value)));
    }

    /// <summary>Waits until a query returns a number of series, each with at least a given value. A series with NaN, the percentile of no requests,
    /// does not count.</summary>
    public async Task WaitFor(string query, int series, double least)
    {
        Stopwatch elapsed = Stopwatch.StartNew();
        while (await QueryAll(query) is var values && (values.Count < series || !values.All(value => value >= least)))
        {
            if (elapsed.Elapsed > Patience)
            {
                throw new TimeoutException($"{query} gives {string.Join(", ", values)} after {Patience}.\n{Log}");
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

    /// <summary>Waits until the server is ready. Before that, it answers 503.</summary>
    private async Task<JsonDocument> GetAsync(string query)
    {
        string address = await _address.Task.WaitAsync(Patience);
        Stopwatch elapsed = Stopwatch.StartNew();
        while (true)
        {
            using HttpResponseMessage response = await _client.GetAsync($"http://{address}/api/v1/{query}");
            if (response.StatusCode != HttpStatusCode.ServiceUnavailable || elapsed.Elapsed > Patience)
            {
                return JsonDocument.Parse(await response.EnsureSuccessStatusCode().Content.ReadAsStringAsync());
            }

            await Task.Delay(100);
        }
    }

    private string Log
    {
        get
        {
            lock (_log)
            {
                return string.Join('\n', _log);
            }
        }
    }

    private static string Quoted(string text) => $"'{text}'";

    private void ReadLog(string? line)
    {
        if (line is null)
        {
            _address.TrySetException(new InvalidOperationException("Prometheus ended:\n" + Log));
            return;
        }

        lock (_log)
        {
            _log.Add(line);
        }

        if (ListeningOn().Match(line) is { Success: true } match)
        {
            _address.TrySetResult(match.Groups[1].Value);
        }
    }

    [GeneratedRegex(@"msg=""Listening on"" address=(\S+)")]
    private static partial Regex ListeningOn();
}
