using System.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Three separate processes that serve a histogram each.</summary>
internal sealed class Fleet : IAsyncDisposable
{
    private readonly Process[] _processes;
    private readonly HttpClient _client = new();

    public Fleet()
    {
        _processes = [.. Enumerable.Range(0, 3).Select(number =>
        {
            string[] line = Tool.HelperApp("serve-metrics", $"{number}");
            return Process.Start(new ProcessStartInfo(line[0], line[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
        })];
        Addresses = [.. _processes.Select(process => new Uri(process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The process ended.")))];
    }

    public Uri[] Addresses { get; }

    /// <summary>Records a number of values in each process.</summary>
    public async Task Record(params int[] counts)
    {
        foreach ((Uri address, int count) in Addresses.Zip(counts))
        {
            (await _client.PostAsync(new Uri(address, $"/record/{count}"), null)).EnsureSuccessStatusCode();
        }
    }

    /// <summary>Returns the sum of the histograms of all processes.</summary>
    public async Task<HdrHistogram> GetHistogram()
    {
        HdrHistogram merged = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        foreach (Uri address in Addresses)
        {
            merged.Add(HdrHistogramEncoding.Decode(await _client.GetByteArrayAsync(new Uri(address, "/histogram"))));
        }

        return merged;
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        foreach (Process process in _processes)
        {
            process.StandardInput.Close();
            await process.WaitForExitAsync();
            process.Dispose();
        }
    }
}
