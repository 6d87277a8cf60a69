using System.Diagnostics;
using System.Diagnostics.Metrics;
using Picollo.AspNetCore.Work;

namespace Picollo.AspNetCore.Requests;

/// <summary>The histogram <c>picollo.http.server.request.cpu.time</c> of the <see cref="Meter"/> "Picollo.AspNetCore".</summary>
/// <remarks>OpenTelemetry's HTTP conventions have the duration but not the CPU time; the attributes are the same, and <c>http.route</c> is
/// absent if there was no route. With separate user and kernel time each request is two measurements with <c>cpu.mode</c>, as all points
/// of OpenTelemetry's <c>process.cpu.time</c> have a mode or none has. Without listeners nothing is computed or allocated.</remarks>
internal sealed class CpuTimeInstrument
{
    public const string MeterName = "Picollo.AspNetCore";
    public const string Name = "picollo.http.server.request.cpu.time";

    // From a tenth of a millisecond, because requests take less CPU time than the conventions' first bound for their duration, 5 ms.
    private static readonly double[] Boundaries =
        [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

    // Boxed once: all codes that a response may have.
    private static readonly object[] StatusCodes = [.. Enumerable.Range(0, 600).Select(code => (object)code)];

    private readonly Histogram<double> _cpuTime;

    public CpuTimeInstrument(IMeterFactory meters) => _cpuTime = meters.Create(MeterName).CreateHistogram(
        Name,
        "s",
        "CPU time of HTTP server requests, on all the threads they ran on.",
        tags: null,
        new InstrumentAdvice<double> { HistogramBucketBoundaries = Boundaries });

    public bool IsEnabled => _cpuTime.Enabled;

    public void Record(in RunUsage usage, string method, string? route, int status)
    {
        TagList tags = default;
        tags.Add("http.request.method", method);
        tags.Add("http.response.status_code", (uint)status < (uint)StatusCodes.Length ? StatusCodes[status] : status);
        if (route is not null)
        {
            tags.Add("http.route", route);
        }

        if (usage.Split is { } split)
        {
            tags.Add("cpu.mode", "user");
            TryRecord(split.UserNanoseconds / 1e9, tags);
            tags[^1] = new("cpu.mode", "system");
            TryRecord(split.KernelNanoseconds / 1e9, tags);
        }
        else
        {
            TryRecord(usage.CpuNanoseconds / 1e9, tags);
        }
    }

    private void TryRecord(double seconds, in TagList tags)
    {
        try
        {
            _cpuTime.Record(seconds, tags);
        }
        catch (Exception)
        {
            // Thrown by a listener.
        }
    }
}
