using Picollo.AspNetCore.Measuring;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;
using Picollo.Profiling.Waits;

namespace Picollo.AspNetCore.Reading;

/// <summary>All that the page shows at a moment.</summary>
internal sealed record PageReading
{
    public required DateTimeOffset Time { get; init; }

    /// <summary>The time over which rates and shares are computed.</summary>
    public required TimeSpan Window { get; init; }

    /// <summary>The number of processors that this process can use.</summary>
    public required int Processors { get; init; }

    /// <summary>The process's share of the CPU time of all processors in the window, 0 to 1; null if it is unavailable.</summary>
    public required double? ProcessShare { get; init; }

    /// <summary>The maximum number of routes with their own row.</summary>
    public int MaxRoutes { get; init; }

    /// <summary>Whether further routes are counted as <c>(other)</c>.</summary>
    public bool IsFull { get; init; }

    /// <summary>The parts of the CPU time of the process; empty if it is unavailable.</summary>
    public required IReadOnlyList<CpuPart> Parts { get; init; }

    /// <summary>The usage of the runtime; null if it is not measured.</summary>
    public RuntimeReading? Runtime { get; init; }

    /// <summary>The number of kept CPU profiles of requests and runs above the budget, by label.</summary>
    public IReadOnlyDictionary<FlowLabel, int> Profiles { get; init; } = new Dictionary<FlowLabel, int>();

    /// <summary>Whether the page can measure waits.</summary>
    public bool CanMeasureWaits { get; init; }

    /// <summary>The latest measured waits; null for none.</summary>
    public WaitProfile? Waits { get; init; }

    /// <summary>The runs that have not ended, without requests for Picollo's own page.</summary>
    public required IReadOnlyList<RunReading> Running { get; init; }

    /// <summary>The oldest run that is not a long-lived request; null if there is none.</summary>
    public RunReading? Oldest => Running.Where(run => !run.IsLongLived).Cast<RunReading?>().MaxBy(run => run!.Value.Age);

    /// <summary>The run with the most CPU time; null if there is none.</summary>
    public RunReading? MostExpensive => Running.Cast<RunReading?>().MaxBy(run => run!.Value.CpuNanoseconds);

    /// <summary>The slowest requests of the last two minutes, slowest first; null if they are not kept.</summary>
    public IReadOnlyList<KeptRequest>? Slowest { get; init; }

    /// <summary>The last requests above the budget of the latency, the latest first; null without a budget.</summary>
    public IReadOnlyList<KeptRequest>? OverLatencyBudget { get; init; }

    /// <summary>Why a state of the latency is absent, as a sentence; null if none is, or if the latency is not measured.</summary>
    public string? MissingStates { get; init; }

    /// <summary>The histograms recorded from meters; null if no meters were added.</summary>
    public MeterHistograms? Meters { get; init; }

    /// <summary>The maximum number of series of an instrument.</summary>
    public int MaxSeries { get; init; }

    /// <summary>The window of the percentiles; null for the time since the start.</summary>
    public RecentWindow? Recent { get; init; }

    /// <summary>The current length of the window. It is shorter than <see cref="RecentWindow.Length"/> until the page has been viewed for
    /// that time.</summary>
    public TimeSpan RecentTime { get; init; }

    /// <summary>Routes by route and method, then named work, then histograms by name.</summary>
    public required IReadOnlyList<RowReading> All
    {
        get;
        init
        {
            field = value;
            Routes = [.. value.Where(row => row.Row.IsRoute).OrderByDescending(row => row.Sum)];
            Work = [.. value.Where(row => row.Row is { Measured: not null, IsRoute: false }).OrderByDescending(row => row.Sum)];
            Histograms = [.. value.Where(row => row.Row is { Measured: null, IsRuntime: false })];
            RuntimeHistograms = [.. value.Where(row => row.Row.IsRuntime)];
        }
    }

    /// <summary>The routes, in descending order of their CPU time.</summary>
    public IReadOnlyList<RowReading> Routes { get; private init; } = [];

    /// <summary>Named work, in descending order of its CPU time.</summary>
    public IReadOnlyList<RowReading> Work { get; private init; } = [];

    /// <summary>The registered histograms, without those of the runtime.</summary>
    public IReadOnlyList<RowReading> Histograms { get; private init; } = [];

    public IReadOnlyList<RowReading> RuntimeHistograms { get; private init; } = [];
}

/// <summary>The values of a row at a moment.</summary>
/// <param name="Row">The row.</param>
/// <param name="Count">The number of requests, runs or values since the start, including values outside the histogram's range.</param>
/// <param name="Percentiles">The percentiles by <see cref="RunFact"/>, null for those that are not measured; or those of the registered
/// histogram.</param>
internal sealed record RowReading(PageRow Row, ulong Count, IReadOnlyList<Percentiles?> Percentiles)
{
    /// <summary>The percentiles of a fact; null if it is not measured.</summary>
    public Percentiles? this[RunFact fact] => Percentiles[(int)fact];

    /// <summary>The number of requests, runs or values per second in the window of the reading.</summary>
    public double Rate { get; init; }

    /// <summary>The share of the CPU time of all processors in that window, 0 to 1; 0 for a histogram.</summary>
    public double MachineShare { get; init; }

    /// <summary>The sum of all values of a histogram, or the total CPU time of a route or work, in nanoseconds.</summary>
    public required double Sum { get; init; }

    /// <summary>The CPU time, in nanoseconds, of work that continued after the end of its run; 0 for a histogram.</summary>
    public long AfterEndNanoseconds { get; init; }

    /// <summary>The times in all states; null if they are not measured.</summary>
    public LatencySums? Latency { get; init; }

    /// <summary>The kernel's share of a route's CPU time, 0 to 1; null if it is not measured separately.</summary>
    public double? KernelShare { get; init; }
}

/// <summary>The percentiles of a histogram, in the unit of the recorded values.</summary>
internal sealed record Percentiles(ulong P50, ulong P90, ulong P99, ulong P999, ulong Max)
{
    public static Percentiles FromSummary(HdrHistogramSummary summary) =>
        new(summary.P50.Value, summary.P90.Value, summary.P99.Value, summary.P999.Value, summary.P100.Value)
        {
            P9999 = summary.P9999.Value,
            Count = summary.TotalCount,
            Sum = summary.Sum,
            OutOfRange = summary.OverflowCount,
        };

    /// <summary>The number of values within the range. If it is 0, all percentiles are 0.</summary>
    public required ulong Count { get; init; }

    /// <summary>The 99.99th percentile.</summary>
    public ulong P9999 { get; init; }

    /// <summary>The sum of the values within the range.</summary>
    public double Sum { get; init; }

    public bool HasValues => Count > 0;

    private static Percentiles Empty { get; } = new(0, 0, 0, 0, 0) { Count = 0 };

    public static IReadOnlyList<string> Names { get; } = [.. Empty.Shown.Select(shown => shown.Name)];

    public static IReadOnlyList<string> AllNames { get; } = [.. Empty.AllShown.Select(shown => shown.Name)];

    /// <summary>The values in the row of a registered histogram, which has room for one percentile more than the row of a route.</summary>
    public IReadOnlyList<(string Name, double? Value)> AllShown =>
        [.. Shown.SkipLast(1), ("p99.99", At(99.99, P9999)), Shown[^1]];

    /// <summary>The values in the row of a route, in the order of the columns; null for a missing value. A percentile without a value above
    /// it is missing, because it would repeat the maximum.</summary>
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

    /// <summary>The number of values outside the histogram's range. The percentiles exclude them.</summary>
    public ulong OutOfRange { get; init; }
}
