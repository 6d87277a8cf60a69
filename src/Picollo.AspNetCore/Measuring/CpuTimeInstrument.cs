using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Picollo.AspNetCore.Measuring;

/// <summary>The histogram <c>picollo.http.server.request.cpu.time</c> of the <see cref="Meter"/> "Picollo.AspNetCore".</summary>
/// <remarks>OpenTelemetry's HTTP conventions define the duration but not the CPU time. The attributes are those of the duration;
/// <c>http.route</c> is absent if the request has no route, <c>error.type</c> if it succeeded, and <c>rpc.response.status_code</c> if it is
/// not a gRPC call. If user and kernel time are measured separately, each request is recorded as
/// two measurements with <c>cpu.mode</c>: as in OpenTelemetry's <c>process.cpu.time</c>, either all points have a mode or none has. Without
/// listeners, nothing is computed or allocated.</remarks>
internal sealed class CpuTimeInstrument
{
    public const string MeterName = "Picollo.AspNetCore";
    public const string Name = "picollo.http.server.request.cpu.time";

    // They start at 0.1 ms, because requests often take less CPU time than 5 ms, the first boundary of the conventions for durations.
    private static readonly double[] Boundaries =
        [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

    // All status codes that a response can have, boxed once.
    private static readonly object[] StatusCodes = [.. Enumerable.Range(0, 600).Select(code => (object)code)];

    private readonly Histogram<double> _cpuTime;

    public CpuTimeInstrument(IMeterFactory meters) => _cpuTime = meters.Create(MeterName).CreateHistogram(
        Name,
        "s",
        "CPU time of HTTP server requests, on all threads.",
        tags: null,
        new InstrumentAdvice<double> { HistogramBucketBoundaries = Boundaries });

    public bool IsEnabled => _cpuTime.Enabled;

    public void Record(in RunValues run, string method, string? route, in Outcome outcome)
    {
        TagList tags = default;
        tags.Add("http.request.method", method);
        int status = outcome.Status;
        tags.Add("http.response.status_code", (uint)status < (uint)StatusCodes.Length ? StatusCodes[status] : status);
        if (route is not null)
        {
            tags.Add("http.route", route);
        }

        if (outcome.RpcStatus is { } rpcStatus)
        {
            tags.Add("rpc.response.status_code", rpcStatus);
        }

        if (outcome.ErrorType is { } errorType)
        {
            tags.Add("error.type", errorType);
        }

        if (run.Split is { } split)
        {
            tags.Add("cpu.mode", "user");
            TryRecord(split.UserNanoseconds / 1e9, tags);
            tags[^1] = new("cpu.mode", "system");
            TryRecord(split.KernelNanoseconds / 1e9, tags);
        }
        else
        {
            TryRecord(run.CpuNanoseconds / 1e9, tags);
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
