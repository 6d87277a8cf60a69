using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Requests;

/// <summary>What the requests of a method and route pattern have taken. Thread-safe.</summary>
internal sealed class RouteUsage(string method, string route)
{
    private const ulong LeastNanoseconds = 1_000;
    private const ulong MostNanoseconds = 3_600_000_000_000;

    // One percent between a microsecond and an hour: 8 KB a thread that serves the route.
    private static readonly ThreadLocalHdrHistogramFactory<uint> Nanoseconds = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMinTrackableValue(LeastNanoseconds)
        .WithMaxTrackableValue(MostNanoseconds)
        .WithThreadLocal();

    private long _user;
    private long _kernel;

    /// <summary>One of the known methods, or <c>_OTHER</c>.</summary>
    public string Method { get; } = method;

    /// <summary>The pattern, never a path.</summary>
    public string Route { get; } = route;

    /// <summary>CPU time of requests, in nanoseconds; what is below or above the range stands at its end, so that each request
    /// counts.</summary>
    public ThreadLocalHdrHistogram<uint> Cpu { get; } = Nanoseconds.Create();

    /// <summary>Time from their begin to their end, in nanoseconds; likewise, but for requests that have none to tell.</summary>
    public ThreadLocalHdrHistogram<uint> Wall { get; } = Nanoseconds.Create();

    /// <summary>The sums of user and of kernel time; 0 where they are not told apart. A split in two sums instead of histograms: the kernel
    /// tells the shares by its ticks, which is rough for a request and right for many.</summary>
    public CpuUsage Split => new(Interlocked.Read(ref _user), Interlocked.Read(ref _kernel));

    /// <summary>Counts a request.</summary>
    /// <param name="usage">What it took.</param>
    /// <param name="isEndless">Whether it ends when its client goes, so that its wall time tells nothing.</param>
    public void Record(in RequestUsage usage, bool isEndless)
    {
        Cpu.Record(WithinRange(usage.CpuNanoseconds));
        if (!isEndless)
        {
            Wall.Record(WithinRange(usage.WallNanoseconds));
        }

        if (usage.Split is { } split)
        {
            Interlocked.Add(ref _user, split.UserNanoseconds);
            Interlocked.Add(ref _kernel, split.KernelNanoseconds);
        }
    }

    private static ulong WithinRange(long nanoseconds) => Math.Clamp((ulong)Math.Max(nanoseconds, 0), LeastNanoseconds, MostNanoseconds);
}
