using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Picollo.AspNetCore.Requests;

/// <summary>The histogram <c>http.server.request.cpu.time</c> of the <see cref="Meter"/> "Picollo.AspNetCore".</summary>
/// <remarks>
/// <para>In the style of OpenTelemetry's HTTP conventions, which have the duration but not the CPU time: the same attributes, of which
/// <c>http.route</c> is missing where there was no route. Where user and kernel time are told apart each request is two points with
/// <c>cpu.mode</c>, as OpenTelemetry's <c>process.cpu.time</c> has either points with modes or points without.</para>
/// <para>Nothing is computed or allocated while nobody listens.</para>
/// </remarks>
internal sealed class CpuTimeInstrument
{
    public const string MeterName = "Picollo.AspNetCore";
    public const string Name = "http.server.request.cpu.time";

    // A tenth of a millisecond is what little a request takes, beside the conventions' 5 ms for its duration.
    private static readonly double[] Boundaries =
        [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

    // In boxes that are kept: all codes that a response may have.
    private static readonly object[] StatusCodes = [.. Enumerable.Range(0, 600).Select(code => (object)code)];

    private readonly Histogram<double> _cpuTime;

    public CpuTimeInstrument(IMeterFactory meters) => _cpuTime = meters.Create(MeterName).CreateHistogram(
        Name,
        "s",
        "CPU time of HTTP server requests, on all the threads they ran on.",
        tags: null,
        new InstrumentAdvice<double> { HistogramBucketBoundaries = Boundaries });

    public bool IsEnabled => _cpuTime.Enabled;

    public void Record(in RequestUsage usage, string method, string? route, int status)
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
            RecordMode(split.UserNanoseconds, tags, "user");
            RecordMode(split.KernelNanoseconds, tags, "system");
        }
        else
        {
            RecordSeconds(usage.CpuNanoseconds, tags);
        }
    }

    private void RecordMode(long nanoseconds, TagList tags, string mode)
    {
        tags.Add("cpu.mode", mode);
        RecordSeconds(nanoseconds, tags);
    }

    private void RecordSeconds(long nanoseconds, in TagList tags)
    {
        double seconds = nanoseconds / 1e9;
        try
        {
            _cpuTime.Record(seconds, tags);
        }
        catch (Exception)
        {
            // A listener's.
        }
    }
}
