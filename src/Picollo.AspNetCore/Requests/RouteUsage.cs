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

/// <summary>How a request ended.</summary>
internal enum ResponseClass
{
    /// <summary>1xx: the connection was upgraded.</summary>
    Informational,

    /// <summary>2xx.</summary>
    Success,

    /// <summary>3xx.</summary>
    Redirection,

    /// <summary>4xx.</summary>
    ClientError,

    /// <summary>5xx.</summary>
    ServerError,

    /// <summary>The client disconnected before the response started, or the request failed when it did.</summary>
    Aborted,
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

    private readonly long[] _responses = new long[(int)ResponseClass.Aborted + 1];
    private long _cpu;
    private long _wall;
    private long _rejectedCpu;
    private long _rejected;
    private long _user;
    private long _kernel;

    /// <summary>A known method, or <see cref="RouteTable.OtherMethod"/>.</summary>
    public string Method { get; } = method;

    /// <summary>The pattern, never a path.</summary>
    public string Route { get; } = route;

    /// <summary>CPU time of each request in nanoseconds, without rejected ones. Values outside the range count as its nearest
    /// end.</summary>
    public InterlockedHdrHistogram<uint> Cpu { get; } = Nanoseconds.Create();

    /// <summary>Wall time in nanoseconds, as <see cref="Cpu"/>.</summary>
    public InterlockedHdrHistogram<uint> Wall { get; } = Nanoseconds.Create();

    /// <summary>The exact sum of the CPU times in <see cref="Cpu"/>, in nanoseconds.</summary>
    public long CpuNanoseconds => Interlocked.Read(ref _cpu);

    /// <summary>The exact sum of the wall times in <see cref="Wall"/>, in nanoseconds.</summary>
    public long WallNanoseconds => Interlocked.Read(ref _wall);

    /// <summary>The exact CPU time of all requests, in nanoseconds.</summary>
    public long TotalCpuNanoseconds => CpuNanoseconds + Interlocked.Read(ref _rejectedCpu);

    /// <summary>The number of rejected requests: by a rate limit (429), or by the queue of the CPU workers.</summary>
    public long Rejected => Interlocked.Read(ref _rejected);

    /// <summary>The sums of user and kernel time; 0 if they are not measured separately. Sums and not histograms, because the kernel
    /// derives the shares from its ticks, which is inaccurate for one request and accurate for many.</summary>
    public CpuUsage Split => new(Interlocked.Read(ref _user), Interlocked.Read(ref _kernel));

    /// <summary>The number of responses of a class.</summary>
    public long this[ResponseClass response] => Interlocked.Read(ref _responses[(int)response]);

    /// <summary>Counts a request.</summary>
    /// <param name="usage">What it took.</param>
    /// <param name="response">How it ended.</param>
    /// <param name="isRejected">Whether it was rejected before the application did its work, so that it says nothing about that
    /// work.</param>
    public void Record(in RequestUsage usage, ResponseClass response = ResponseClass.Success, bool isRejected = false)
    {
        Interlocked.Increment(ref _responses[(int)response]);
        if (isRejected)
        {
            Interlocked.Increment(ref _rejected);
            Interlocked.Add(ref _rejectedCpu, usage.CpuNanoseconds);
        }
        else
        {
            Cpu.Record(WithinRange(usage.CpuNanoseconds));
            Interlocked.Add(ref _cpu, usage.CpuNanoseconds);
            Wall.Record(WithinRange(usage.WallNanoseconds));
            Interlocked.Add(ref _wall, usage.WallNanoseconds);
        }

        if (usage.Split is { } split)
        {
            Interlocked.Add(ref _user, split.UserNanoseconds);
            Interlocked.Add(ref _kernel, split.KernelNanoseconds);
        }
    }

    private static ulong WithinRange(long nanoseconds) => Math.Clamp((ulong)Math.Max(nanoseconds, 0), LeastNanoseconds, MostNanoseconds);
}
