using System.Diagnostics;
using System.Text.Json;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>A web application, samples/WebApi unless another is given, in a process of its own.</summary>
internal sealed class SampleProcess : IAsyncDisposable
{
    private const string Listening = "Now listening on: ";

    private readonly Process _process;
    private readonly HttpClient _client = new();

    public SampleProcess(string? program = null)
    {
        program ??= Path.Combine(AppContext.BaseDirectory, "WebApi.dll");
        ProcessStartInfo start = new(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet")
        {
            ArgumentList = { program, "--urls", "http://127.0.0.1:0" },
            WorkingDirectory = Path.GetDirectoryName(program),
            RedirectStandardOutput = true,
        };
        _process = Process.Start(start)!;
        string? line;
        do
        {
            line = _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The process ended.");
        }
        while (!line.Contains(Listening, StringComparison.Ordinal));

        Address = new Uri(line[(line.IndexOf(Listening, StringComparison.Ordinal) + Listening.Length)..]);
        _ = _process.StandardOutput.BaseStream.CopyToAsync(Stream.Null); // nobody wants its log, which must not stop it
    }

    public Uri Address { get; }

    public Task Get(string path) => _client.GetStringAsync(new Uri(Address, path));

    /// <summary>CPU and wall time of a route, as the page's mark holds them: bucket for bucket.</summary>
    public async Task<(HdrHistogram Cpu, HdrHistogram Wall)> GetHistograms(string route)
    {
        using JsonDocument usage = await GetJson("/picollo/json");
        string id = usage.RootElement.GetProperty("routes").EnumerateArray().Single(each => each.GetProperty("route").GetString() == route).GetProperty("id").GetString()!;
        using JsonDocument mark = await GetJson($"/picollo/mark?show={id}");
        HdrHistogram[] histograms = [.. mark.RootElement.GetProperty("histograms").EnumerateArray().Select(each => HdrHistogramEncoding.Decode(each.GetBytesFromBase64()))];
        return (histograms[0], histograms[1]);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    public async Task<JsonDocument> GetJson(string path) => JsonDocument.Parse(await _client.GetByteArrayAsync(new Uri(Address, path)));
}
