using System.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>A separate process that serves a histogram.</summary>
internal sealed class ExportingProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly HttpClient _client = new();

    public ExportingProcess(int number)
    {
        string[] line = Tool.HelperApp("serve-metrics", $"{number}");
        ProcessStartInfo start = new(line[0], line[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        _process = Process.Start(start)!;
        Address = new Uri(_process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The process ended."));
    }

    public Uri Address { get; }

    public async Task Record(int count) => (await _client.PostAsync(new Uri(Address, $"/record/{count}"), null)).EnsureSuccessStatusCode();

    /// <summary>Returns the histogram that the process recorded, with the same layout.</summary>
    public async Task<HdrHistogram> GetHistogram() =>
        HdrHistogramEncoding.Decode(await _client.GetByteArrayAsync(new Uri(Address, "/histogram")));

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        _process.StandardInput.Close();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
