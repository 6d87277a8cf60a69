using System.ComponentModel;
using System.Diagnostics;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Runs <c>wrk</c>, which must be on the path. One thread of <c>wrk</c> is enough for a server on two processors.</summary>
public static class Wrk
{
    // Longer than any wait in the demo, because requests that time out would be missing from the percentiles.
    private const string Timeout = "60s";

    // Longer than any measurement. The load is killed before that.
    private const int LoadSeconds = 60;

    // Prints the percentiles of Latencies.
    private static readonly string Script = Path.Combine(AppContext.BaseDirectory, "percentiles.lua");

    /// <summary>Sends requests for a number of seconds, from a number of connections.</summary>
    public static async Task<WrkReport> MeasureAsync(Uri url, int concurrency, int seconds, CancellationToken stop)
    {
        using Process process = Start(url, concurrency, seconds);
        try
        {
            return WrkReport.Parse(await process.StandardOutput.ReadToEndAsync(stop));
        }
        finally
        {
            End(process);
        }
    }

    /// <summary>Sends requests until the returned object is disposed.</summary>
    public static IDisposable StartLoad(Uri url, int concurrency) => new Load(Start(url, concurrency, LoadSeconds));

    /// <exception cref="DriverException"><c>wrk</c> is not installed.</exception>
    private static Process Start(Uri url, int concurrency, int seconds)
    {
        ProcessStartInfo start = new("wrk", ["-s", Script, "-t1", $"-c{concurrency}", $"-d{seconds}s", "--timeout", Timeout, url.ToString()])
        {
            RedirectStandardOutput = true,
        };
        try
        {
            return Process.Start(start)!;
        }
        catch (Win32Exception e)
        {
            throw new DriverException($"wrk did not start ({e.Message}): install it (on Debian, the package 'wrk')");
        }
    }

    private static void End(Process process)
    {
        process.Kill(); // has no effect if the process has ended
        process.WaitForExit();
    }

    private sealed class Load(Process process) : IDisposable
    {
        public void Dispose()
        {
            End(process);
            process.Dispose();
        }
    }
}
