namespace Picollo.AspNetCore.Usage;

/// <summary>What a subject has counted.</summary>
/// <param name="Subject">What has counted it.</param>
/// <param name="Count">Requests or values since the start, those out of the histogram's range too.</param>
/// <param name="Rate">Requests or values a second, over the window of the reading.</param>
/// <param name="MachineShare">CPU seconds a second and processor over that window, 1 for the whole machine; 0 for what is no route.</param>
/// <param name="Quantiles">Of each of the subject's histograms.</param>
internal sealed record SubjectUsage(Subject Subject, ulong Count, double Rate, double MachineShare, IReadOnlyList<Quantiles> Quantiles)
{
    /// <summary>The sum of all values of the first histogram: of a route, its CPU time in nanoseconds.</summary>
    public required double Sum { get; init; }

    /// <summary>The kernel's part of a route's CPU time, 0 to 1; null where it is not told apart.</summary>
    public double? KernelShare { get; init; }
}

/// <summary>Percentiles of a histogram, as they were recorded.</summary>
internal readonly record struct Quantiles(ulong P50, ulong P90, ulong P99, ulong P999, ulong Max)
{
    /// <summary>Whether there are values: without any, all of these are 0 and say nothing.</summary>
    public required bool HasValues { get; init; }

    /// <summary>Values that the histogram's range leaves out of these.</summary>
    public ulong OutOfRange { get; init; }
}
