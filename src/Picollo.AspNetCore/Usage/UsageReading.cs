using Picollo.AspNetCore.Requests;
using Picollo.AspNetCore.Work;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>What all subjects had counted at a moment, and the CPU time of the process.</summary>
internal sealed record UsageReading
{
    public required DateTimeOffset Time { get; init; }

    /// <summary>The time over which rates and shares are computed.</summary>
    public required TimeSpan Window { get; init; }

    /// <summary>The processors that this process can use.</summary>
    public required int Processors { get; init; }

    /// <summary>The process's share of the CPU time of all processors over the window, 0 to 1; null if it is unavailable.</summary>
    public required double? ProcessShare { get; init; }

    /// <summary>The largest number of routes with their own row.</summary>
    public int MaxRoutes { get; init; }

    /// <summary>Whether further routes count as <c>(other)</c>.</summary>
    public bool IsFull { get; init; }

    /// <summary>What the CPU time of the process was spent on; empty if it is unavailable.</summary>
    public required IReadOnlyList<CpuPart> Parts { get; init; }

    /// <summary>What the runtime has done; null if it is not measured.</summary>
    public RuntimeReading? Runtime { get; init; }

    /// <summary>The number of CPU profiles that are kept of requests and runs above the budget.</summary>
    public IReadOnlyDictionary<FlowLabel, int> Profiles { get; init; } = new Dictionary<FlowLabel, int>();

    /// <summary>The runs that have not ended, without requests for Picollo's own page.</summary>
    public required IReadOnlyList<RunReading> Running { get; init; }

    /// <summary>The one that runs for the longest time, without long-lived requests; null if there is none.</summary>
    public RunReading? Oldest => Running.Where(run => !run.Description.IsLongLived).Cast<RunReading?>().MaxBy(run => run!.Value.Age);

    /// <summary>The one that has taken most CPU time; null if there is none.</summary>
    public RunReading? MostExpensive => Running.Cast<RunReading?>().MaxBy(run => run!.Value.CpuNanoseconds);

    /// <summary>The slowest requests of the last two minutes, the slowest first; null if their traces are not kept.</summary>
    public IReadOnlyList<TracedRequest>? Slowest { get; init; }

    /// <summary>What is recorded from meters; null for nothing.</summary>
    public MeterHistograms? Meters { get; init; }

    /// <summary>The limit of series of an instrument.</summary>
    public int MaxSeries { get; init; }

    /// <summary>The window of the percentiles; null for all since the start.</summary>
    public RecentWindow? Recent { get; init; }

    /// <summary>The time that the window has now: shorter than its name until the page has been viewed for so long.</summary>
    public TimeSpan RecentTime { get; init; }

    /// <summary>Routes by route and method, then named work, then histograms by name.</summary>
    public required IReadOnlyList<SubjectUsage> All
    {
        get;
        init
        {
            field = value;
            Routes = [.. value.Where(usage => usage.Subject.IsRoute).OrderByDescending(usage => usage.Sum)];
            Work = [.. value.Where(usage => usage.Subject is { Work: not null, IsRoute: false }).OrderByDescending(usage => usage.Sum)];
            Histograms = [.. value.Where(usage => usage.Subject is { Work: null, IsRuntime: false })];
            RuntimeHistograms = [.. value.Where(usage => usage.Subject.IsRuntime)];
        }
    }

    /// <summary>The routes, in descending order of their CPU time.</summary>
    public IReadOnlyList<SubjectUsage> Routes { get; private init; } = [];

    /// <summary>Named work, in descending order of its CPU time.</summary>
    public IReadOnlyList<SubjectUsage> Work { get; private init; } = [];

    /// <summary>The registered histograms, without those of the runtime.</summary>
    public IReadOnlyList<SubjectUsage> Histograms { get; private init; } = [];

    /// <summary>The registered histograms of the runtime.</summary>
    public IReadOnlyList<SubjectUsage> RuntimeHistograms { get; private init; } = [];
}

/// <summary>What a subject has counted.</summary>
/// <param name="Subject">The subject.</param>
/// <param name="Count">Requests, runs or values since the start, including those outside the histogram's range.</param>
/// <param name="Rate">Requests or values per second over the window of the reading.</param>
/// <param name="MachineShare">The share of the CPU time of all processors over that window, 0 to 1; 0 for a histogram.</param>
/// <param name="Quantiles">The percentiles of each of the subject's histograms.</param>
internal sealed record SubjectUsage(Subject Subject, ulong Count, double Rate, double MachineShare, IReadOnlyList<Quantiles> Quantiles)
{
    /// <summary>The sum of all values of a histogram; of a route or work, the CPU time in nanoseconds until now.</summary>
    public required double Sum { get; init; }

    /// <summary>The bytes that runs of the subject have allocated; null if they are not measured.</summary>
    public Quantiles? Allocated { get; init; }

    /// <summary>The CPU time in nanoseconds of what runs of the subject still started when they had ended; 0 for a histogram.</summary>
    public long AfterEndNanoseconds { get; init; }

    /// <summary>The kernel's share of a route's CPU time, 0 to 1; null if it is not measured separately.</summary>
    public double? KernelShare { get; init; }
}

/// <summary>Percentiles of a histogram, as they were recorded.</summary>
internal readonly record struct Quantiles(ulong P50, ulong P90, ulong P99, ulong P999, ulong Max)
{
    public static Quantiles Of(HdrHistogramSummary summary) =>
        new(summary.P50.Value, summary.P90.Value, summary.P99.Value, summary.P999.Value, summary.P100.Value)
        {
            P9999 = summary.P9999.Value,
            Count = summary.TotalCount,
            Sum = summary.Sum,
            OutOfRange = summary.OverflowCount,
        };

    /// <summary>The number of values within the range; without any, all percentiles are 0.</summary>
    public required ulong Count { get; init; }

    /// <summary>The 99.99th percentile.</summary>
    public ulong P9999 { get; init; }

    /// <summary>Their sum.</summary>
    public double Sum { get; init; }

    /// <summary>Whether there are values.</summary>
    public bool HasValues => Count > 0;

    /// <summary>The names in <see cref="Shown"/>.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. default(Quantiles).Shown.Select(one => one.Name)];

    /// <summary>The names in <see cref="AllShown"/>.</summary>
    public static IReadOnlyList<string> AllNames { get; } = [.. default(Quantiles).AllShown.Select(one => one.Name)];

    /// <summary>What the page shows of a registered histogram, whose row has room for one more than those of routes.</summary>
    public IReadOnlyList<(string Name, double? Value)> AllShown =>
        [.. Shown.SkipLast(1), ("p99.99", At(99.99, P9999)), Shown[^1]];

    /// <summary>What the page shows, in the order of its columns; null for what does not exist. A percentile exists if at least one value
    /// lies above it: else it would be the maximum by another name.</summary>
    public IReadOnlyList<(string Name, double? Value)> Shown =>
    [
        ("mean", HasValues ? Sum / Count : null),
        ("p50", At(50, P50)),
        ("p90", At(90, P90)),
        ("p99", At(99, P99)),
        ("p99.9", At(99.9, P999)),
        ("max", HasValues ? Max : null),
    ];

    private double? At(double rank, ulong value) => PercentileRank.IsBelowMaximum(rank, Count) ? value : null;

    /// <summary>The number of values outside the histogram's range, which the percentiles exclude.</summary>
    public ulong OutOfRange { get; init; }
}
