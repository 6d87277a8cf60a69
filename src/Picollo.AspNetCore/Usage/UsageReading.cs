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

    /// <summary>Routes by route and method, then histograms by name.</summary>
    public required IReadOnlyList<SubjectUsage> All { get; init; }

    /// <summary>The routes, in descending order of their CPU time.</summary>
    public IReadOnlyList<SubjectUsage> Routes =>
        field ??= [.. All.Where(usage => usage.Subject.IsRoute).OrderByDescending(usage => usage.Sum)];

    /// <summary>The registered histograms.</summary>
    public IReadOnlyList<SubjectUsage> Histograms => field ??= [.. All.Where(usage => !usage.Subject.IsRoute)];
}

/// <summary>What a subject has counted.</summary>
/// <param name="Subject">The subject.</param>
/// <param name="Count">Requests or values since the start, including those outside the histogram's range.</param>
/// <param name="Rate">Requests or values per second over the window of the reading.</param>
/// <param name="MachineShare">A route's share of the CPU time of all processors over that window, 0 to 1; 0 for a histogram.</param>
/// <param name="Quantiles">The percentiles of each of the subject's histograms.</param>
internal sealed record SubjectUsage(Subject Subject, ulong Count, double Rate, double MachineShare, IReadOnlyList<Quantiles> Quantiles)
{
    /// <summary>The sum of all values of the first histogram: of a route, its CPU time in nanoseconds.</summary>
    public required double Sum { get; init; }

    /// <summary>The kernel's share of a route's CPU time, 0 to 1; null if it is not measured separately.</summary>
    public double? KernelShare { get; init; }
}

/// <summary>Percentiles of a histogram, as they were recorded.</summary>
internal readonly record struct Quantiles(ulong P50, ulong P90, ulong P99, ulong P999, ulong Max)
{
    /// <summary>The number of values within the range; without any, all percentiles are 0.</summary>
    public required ulong Count { get; init; }

    /// <summary>Their sum.</summary>
    public double Sum { get; init; }

    /// <summary>Whether there are values.</summary>
    public bool HasValues => Count > 0;

    /// <summary>The number of values outside the histogram's range, which the percentiles exclude.</summary>
    public ulong OutOfRange { get; init; }
}
