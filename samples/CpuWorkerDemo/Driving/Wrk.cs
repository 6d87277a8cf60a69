using System.ComponentModel;
using System.Diagnostics;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Runs <c>wrk</c>, which is to be on the path. One thread of it does for what two processors can answer.</summary>
public static class Wrk
{
    // Beyond any wait here: what timed out would be missing from the percentiles.
    private const string Timeout = "60s";

    // An end nobody needs: such a load is killed.
    private const int LoadSeconds = 60;

    // Prints the percentiles of Latencies.
    private static readonly string Script = Path.Combine(AppContext.BaseDirectory, "percentiles.lua");

    /// <summary>Sends requests for so many seconds, from so many connections.</summary>
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

    /// <summary>Sends requests until it is disposed.</summary>
    public static IDisposable StartLoad(Uri url, int concurrency) => new Load(Start(url, concurrency, LoadSeconds));

    /// <exception cref="DriverException">There is no such program.</exception>
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
            throw new DriverException($"wrk did not start ({e.Message}): install it, Debian's package 'wrk'");
        }
    }

    private static void End(Process process)
    {
        process.Kill(); // Nothing, where it has ended.
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
