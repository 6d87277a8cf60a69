using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Requests;

/// <summary>What a request took.</summary>
/// <param name="CpuNanoseconds">The CPU time on all its threads.</param>
/// <param name="WallNanoseconds">The time from its start to its end.</param>
/// <param name="Split">User and kernel time; null if they are not measured separately.</param>
internal readonly record struct RequestUsage(long CpuNanoseconds, long WallNanoseconds, CpuUsage? Split)
{
    public static RequestUsage Of(CpuUsageAsyncWatcher watcher) => new(
        watcher.GetTotalNanoseconds(),
        watcher.WallTime.Ticks * TimeSpan.NanosecondsPerTick,
        watcher.TryGetSummaryCpuUsage(out CpuUsage split) ? split : null);
}

/// <summary>What the requests of a method and route pattern took. Thread-safe.</summary>
internal sealed class RouteUsage(string method, string route)
{
    private const ulong LeastNanoseconds = 1_000;
    private const ulong MostNanoseconds = 3_600_000_000_000;

    // One percent between a microsecond and an hour: 8 KB, whatever the number of threads. Thread-local histograms took as much for each
    // thread that served the route: 840 MB after a burst on 200 pool threads with 256 routes.
    private static readonly InterlockedHdrHistogramFactory<uint> Nanoseconds = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMinTrackableValue(LeastNanoseconds)
        .WithMaxTrackableValue(MostNanoseconds)
        .WithInterlocked();

    private long _user;
    private long _kernel;

    /// <summary>A known method, or <see cref="RouteTable.OtherMethod"/>.</summary>
    public string Method { get; } = method;

    /// <summary>The pattern, never a path.</summary>
    public string Route { get; } = route;

    /// <summary>CPU time of each request in nanoseconds. Values outside the range count as its nearest end.</summary>
    public InterlockedHdrHistogram<uint> Cpu { get; } = Nanoseconds.Create();

    /// <summary>Wall time in nanoseconds, as <see cref="Cpu"/>, but without endless requests.</summary>
    public InterlockedHdrHistogram<uint> Wall { get; } = Nanoseconds.Create();

    /// <summary>The sums of user and kernel time; 0 if they are not measured separately. Sums and not histograms, because the kernel
    /// derives the shares from its ticks, which is inaccurate for one request and accurate for many.</summary>
    public CpuUsage Split => new(Interlocked.Read(ref _user), Interlocked.Read(ref _kernel));

    /// <summary>Counts a request. An endless one ends when its client disconnects, so that its wall time means nothing.</summary>
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
