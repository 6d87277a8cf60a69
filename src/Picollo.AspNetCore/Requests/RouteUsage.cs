using Picollo.Metrics;

namespace Picollo.AspNetCore.Requests;

/// <summary>What the requests of a method and route pattern have taken. Thread-safe.</summary>
internal sealed class RouteUsage(string method, string route)
{
    // One percent between a microsecond and an hour: 8 KB a thread that serves the route.
    private static readonly ThreadLocalHdrHistogramFactory<uint> Nanoseconds = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMinTrackableValue(1_000)
        .WithMaxTrackableValue(3_600_000_000_000)
        .WithThreadLocal();

    /// <summary>One of the known methods, or <c>_OTHER</c>.</summary>
    public string Method { get; } = method;

    /// <summary>The pattern, never a path.</summary>
    public string Route { get; } = route;

    /// <summary>CPU time of requests, in nanoseconds.</summary>
    public ThreadLocalHdrHistogram<uint> Cpu { get; } = Nanoseconds.Create();

    /// <summary>Time from their begin to their end, in nanoseconds.</summary>
    public ThreadLocalHdrHistogram<uint> Wall { get; } = Nanoseconds.Create();
}
