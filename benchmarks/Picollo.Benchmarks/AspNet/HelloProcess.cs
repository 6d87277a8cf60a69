using System.Globalization;
using Picollo.Samples.CpuWorker.Driving;

namespace Picollo.Benchmarks.AspNet;

/// <summary>Runs a <see cref="HelloServer"/> in a separate process, and measures it with <c>wrk</c>.</summary>
internal sealed class HelloProcess : IDisposable
{
    // With this number, Kestrel always has a request, but its queue is short.
    private const int Connections = 16;

    private static readonly HttpClient Client = new();

    private readonly Process _process;
    private readonly Uri _address;

    /// <param name="kind">One of <see cref="HelloServer.Kinds"/>.</param>
    /// <param name="gen0Size">The size of generation 0 in bytes, or <see langword="null"/> for the runtime's default.</param>
    public HelloProcess(string kind, int? gen0Size = null)
    {
        ProcessStartInfo start = new(Environment.ProcessPath!, CommandOf(kind)) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (gen0Size is { } bytes)
        {
            start.Environment["DOTNET_GCgen0size"] = bytes.ToString("x", CultureInfo.InvariantCulture);
        }

        _process = Process.Start(start) ?? throw new InvalidOperationException("The server did not start.");
        _address = new Uri(_process.StandardOutput.ReadLine() ?? throw new InvalidOperationException($"The server '{kind}' has ended."));
    }

    public int ProcessId => _process.Id;

    /// <summary>Sends requests with <c>wrk</c>.</summary>
    /// <param name="path">The path of the requests.</param>
    /// <param name="seconds">The duration, in seconds.</param>
    /// <param name="afterwards">The time to wait for work that the server does after the requests.</param>
    /// <exception cref="InvalidOperationException">A request failed.</exception>
    public HelloFigures Measure(string path, int seconds, TimeSpan afterwards = default)
    {
        (long Bytes, long Nanoseconds, long Collections) before = GetTaken();
        WrkReport report = Wrk.MeasureAsync(new Uri(_address, path), Connections, seconds, CancellationToken.None).Result;
        if (report.Failed > 0)
        {
            throw new InvalidOperationException($"{report.Failed} requests for {path} failed.");
        }

        Thread.Sleep(afterwards);
        (long bytes, long nanoseconds, long collections) = GetTaken();
        double requests = report.Requests;
        return new HelloFigures(report.RequestsPerSecond, (nanoseconds - before.Nanoseconds) / requests, (bytes - before.Bytes) / requests)
        {
            CollectionsPerSecond = (double)(collections - before.Collections) / seconds,
        };
    }

    /// <summary>Measures the CPU time of the process while it gets no requests.</summary>
    /// <param name="duration">The duration.</param>
    /// <returns>The share of a processor, 0 to 1.</returns>
    public double MeasureIdle(TimeSpan duration)
    {
        (_, long before, _) = GetTaken();
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(duration);
        (_, long after, _) = GetTaken();
        return (after - before) / Stopwatch.GetElapsedTime(start).TotalNanoseconds;
    }

    /// <summary>Starts a profile of the server at 99 Hz.</summary>
    public void StartProfile() => Get("/profile/start");

    /// <summary>Starts measuring what the requests of the server wait for.</summary>
    public void StartWaits() => Get("/profile/waits");

    /// <summary>Stops the profile or the measurement.</summary>
    /// <returns>The number of samples or waits, and the number of those that belong to a route.</returns>
    public (long Samples, long OfRoutes) StopProfile() => GetNumbers("/profile/stop") is [var samples, var ofRoutes] ? (samples, ofRoutes) : default;

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    // Starts the program as an executable or with dotnet, like this process.
    private static string[] CommandOf(string kind)
    {
        string[] own = [.. Environment.GetCommandLineArgs().Take(1).Where(_ => Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")];
        return [.. own, "compare", AspNetComparison.Name, AspNetComparison.Serve, kind];
    }

    private (long Bytes, long Nanoseconds, long Collections) GetTaken() =>
        GetNumbers("/taken") is [var bytes, var nanoseconds, var collections] ? (bytes, nanoseconds, collections) : default;

    private long[] GetNumbers(string path) => [.. Get(path).Split(' ').Select(text => long.Parse(text, CultureInfo.InvariantCulture))];

    private string Get(string path) => Client.GetStringAsync(new Uri(_address, path)).Result;
}

/// <summary>The figures of a server during a measurement.</summary>
/// <param name="RequestsPerSecond">The number of answered requests per second.</param>
/// <param name="CpuNanoseconds">The CPU time of the process per request, in nanoseconds.</param>
/// <param name="AllocatedBytes">The bytes that the process allocates per request.</param>
internal readonly record struct HelloFigures(double RequestsPerSecond, double CpuNanoseconds, double AllocatedBytes)
{
    public double CollectionsPerSecond { get; init; }
}
