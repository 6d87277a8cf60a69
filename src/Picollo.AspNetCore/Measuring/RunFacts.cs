using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Measuring;

/// <summary>A number that is measured for each run. The first ones have a histogram in each row and are in
/// <see cref="RunFacts.Recorded"/>.</summary>
internal enum RunFact
{
    CpuTime,
    WallTime,
    AllocatedBytes,
    RequestBodyBytes,

    // Only summed, because the kernel derives the shares from its ticks, which is accurate only for many runs.
    UserTime,
    KernelTime,
}

/// <summary>The properties of a fact in all outputs.</summary>
internal sealed record RunFactDescription
{
    public required RunFact Fact { get; init; }

    /// <summary>The name of the histogram of a route in the exposition.</summary>
    public required string RouteMetric { get; init; }

    /// <summary>The name of the histogram of named work in the exposition; null if only requests have the fact.</summary>
    public string? WorkMetric { get; init; }

    /// <summary>The help and the unit in the exposition. JSON has the same unit.</summary>
    public required HdrHistogramDescription Description { get; init; }

    public required string JsonName { get; init; }

    /// <summary>The name in plots and tables.</summary>
    public required string Name { get; init; }

    /// <summary>Whether the value is a time, of which the page shows percentiles and plots in milliseconds. Otherwise, it is a number of
    /// bytes, of which the page shows the median.</summary>
    public bool IsPlotted { get; init; }

    /// <summary>Whether a row may have no run with this fact. Such rows omit it.</summary>
    public bool IsRare { get; init; }

    /// <summary>Returns whether the options request the fact; null if it is always measured.</summary>
    public Func<PicolloRequestOptions, bool>? IsRequested { get; init; }

    /// <summary>The histogram of a row. Values outside its range are clamped to it.</summary>
    public required InterlockedHdrHistogramFactory<uint> Histogram { get; init; }
}

/// <summary>The table of all facts. Rows, page and exposition are built from it. To add a fact, extend <see cref="RunFact"/>, this table,
/// the constructor of <see cref="RunValues"/>, and the records of JSON. A test compares the names.</summary>
internal static class RunFacts
{
    public const int Count = (int)RunFact.KernelTime + 1;

    /// <summary>The number of facts with a histogram.</summary>
    public const int RecordedCount = (int)RunFact.UserTime;

    public const ulong MaxBytes = 1UL << 40;

    /// <summary>The fact that <see cref="RunValues.Open"/> completes.</summary>
    public const RunFact CompletedLater = RunFact.AllocatedBytes;

    // An error of one percent between a microsecond and an hour takes at most 9 KB, for any number of threads. Thread-local histograms
    // took as much for each thread that served the route: 840 MB after a burst on 200 pool threads with 256 routes.
    private static readonly InterlockedHdrHistogramFactory<uint> Nanoseconds = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMinTrackableValue(1_000)
        .WithMaxTrackableValue(3_600_000_000_000)
        .WithInterlocked();

    private static readonly InterlockedHdrHistogramFactory<uint> Bytes = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMaxTrackableValue(MaxBytes)
        .WithInterlocked();

    /// <summary>The unit of the plotted facts on the page.</summary>
    public static HdrHistogramUnit Milliseconds { get; } = new() { Name = "ms", Ratio = 1e6 };

    /// <summary>The facts with a histogram, by <see cref="RunFact"/>.</summary>
    public static IReadOnlyList<RunFactDescription> Recorded { get; } =
    [
        new()
        {
            Fact = RunFact.CpuTime,
            RouteMetric = "picollo.http.server.request.cpu.time",
            WorkMetric = "picollo.work.cpu.time",
            Description = HdrHistogramDescription.Nanoseconds with
            {
                Help = "CPU time of each request or run of named work, on all threads.",
            },
            JsonName = "cpuSeconds",
            Name = "CPU",
            IsPlotted = true,
            Histogram = Nanoseconds,
        },
        new()
        {
            Fact = RunFact.WallTime,
            RouteMetric = StatusDuration.Metric, // the exposition contains these histograms instead
            WorkMetric = "picollo.work.wall.time",
            Description = HdrHistogramDescription.Nanoseconds with
            {
                Help = "Duration of each request or run of named work, from start to end.",
            },
            JsonName = "wallSeconds",
            Name = "wall",
            IsPlotted = true,
            Histogram = Nanoseconds,
        },
        new()
        {
            Fact = RunFact.AllocatedBytes,
            RouteMetric = "picollo.http.server.request.allocated",
            WorkMetric = "picollo.work.allocated",
            Description = new()
            {
                Help = "Bytes allocated by each request or run of named work, on all threads.",
                Unit = new() { Name = "bytes" },
                LowestBound = 256,
            },
            JsonName = "allocatedBytes",
            Name = "allocated",
            IsRequested = options => options.MeasureAllocations,
            Histogram = Bytes,
        },
        new()
        {
            Fact = RunFact.RequestBodyBytes,
            RouteMetric = "http.server.request.body.size",
            Description = new()
            {
                Help = "Size of request bodies, if the request declares it (Content-Length).",
                Unit = new() { Name = "bytes" },
                LowestBound = 256,
            },
            JsonName = "requestBodyBytes",
            Name = "body",
            IsRare = true,
            Histogram = Bytes,
        },
    ];
}

/// <summary>An element for each <see cref="RunFact"/>.</summary>
[InlineArray(RunFacts.Count)]
internal struct PerFact<T>
{
    private T _first;
}

/// <summary>The values of a run that has ended.</summary>
internal readonly struct RunValues
{
    /// <summary>The value of a fact that was not measured.</summary>
    public const long Unknown = long.MinValue;

    private readonly PerFact<long> _values;

    public RunValues(long cpuNanoseconds, long wallNanoseconds, CpuUsage? split = null)
    {
        ((Span<long>)_values).Fill(Unknown);
        (this[RunFact.CpuTime], this[RunFact.WallTime]) = (cpuNanoseconds, wallNanoseconds);
        if (split is { } parts)
        {
            (this[RunFact.UserTime], this[RunFact.KernelTime]) = (parts.UserNanoseconds, parts.KernelNanoseconds);
        }
    }

    /// <summary>Reads the values of a run until now, or until its watcher was stopped.</summary>
    // Each element is written once, because filling and copying the structure costs more than reading the watcher.
    public RunValues(CpuUsageAsyncWatcher watcher, OpenSegments? open = null, HttpRequest? request = null)
    {
        bool isSplit = watcher.TryGetSummaryCpuUsage(out CpuUsage split);
        this[RunFact.CpuTime] = watcher.GetTotalNanoseconds();
        this[RunFact.WallTime] = watcher.WallNanoseconds;
        this[RunFact.AllocatedBytes] = watcher.AllocatedBytes;

        // Chunked bodies would have to be counted as they are read. A client can declare any length.
        this[RunFact.RequestBodyBytes] = request?.ContentLength is > 0 and <= (long)RunFacts.MaxBytes and var length ? length : Unknown;
        this[RunFact.UserTime] = isSplit ? split.UserNanoseconds : Unknown;
        this[RunFact.KernelTime] = isSplit ? split.KernelNanoseconds : Unknown;
        Open = open;
        Timed = watcher.Latency is null ? null : watcher;
    }

    /// <summary>The value of a fact, in nanoseconds or bytes, or <see cref="Unknown"/>.</summary>
    public long this[RunFact fact]
    {
        get => _values[(int)fact];
        init => _values[(int)fact] = value;
    }

    public long CpuNanoseconds => this[RunFact.CpuTime];

    public long WallNanoseconds => this[RunFact.WallTime];

    /// <summary>User and kernel time; null if they are not measured separately.</summary>
    public CpuUsage? Split => this[RunFact.UserTime] == Unknown ? null : new(this[RunFact.UserTime], this[RunFact.KernelTime]);

    /// <summary>The segments whose bytes are not yet known, and not yet part of <see cref="RunFacts.CompletedLater"/>; null for
    /// none.</summary>
    public OpenSegments? Open { get; init; }

    /// <summary>The watcher of the run, if it measures the latency; otherwise null.</summary>
    public CpuUsageAsyncWatcher? Timed { get; }

    /// <summary>Starts the watcher of a run that measures the requested facts.</summary>
    public static CpuUsageAsyncWatcher StartWatcher(PicolloRequestOptions options) =>
        new(options.CpuUsageDetail, options.MeasureAllocations, listSwitches: false, options.MeasuresLatency);
}
