namespace Picollo.BenchmarkDotNet.Measures;

/// <summary>The measures that the engine in the benchmark process takes.</summary>
/// <param name="Counters">The counters, which a session can open together.</param>
/// <param name="IncludeKernel">Whether counters include kernel code.</param>
/// <param name="AllThreads">Whether counters include all threads of the process.</param>
/// <param name="CpuUsage">Whether to measure CPU time and context switches.</param>
/// <param name="ByMode">Whether to show user and kernel time in separate columns.</param>
/// <param name="Ranks">The percentiles of single calls to show; empty for none.</param>
internal sealed record MeasureRequest(
    IReadOnlyList<BenchmarkCounter> Counters, bool IncludeKernel, bool AllThreads, bool CpuUsage, bool ByMode, IReadOnlyList<double> Ranks)
{
    /// <summary>Whether no measure is requested.</summary>
    public bool IsEmpty => Counters.Count == 0 && !CpuUsage && !HasInvocations;

    /// <summary>Whether single calls are measured.</summary>
    public bool HasInvocations => Ranks.Count > 0;

    /// <summary>Merges sets to a request. A benchmark that returns an awaitable may continue on other threads, so its counters include all
    /// threads.</summary>
    public static MeasureRequest Of(IReadOnlyList<MeasureSet> sets, bool isAwaited)
    {
        PicolloMeasure[] measures = [.. sets.SelectMany(set => set.Measures)];
        return new(
            BenchmarkCounter.Choose(measures, out _),
            sets.Any(set => set.IncludeKernel),
            isAwaited || sets.Any(set => set.AllThreads),
            measures.Contains(PicolloMeasure.CpuUsage) || measures.Contains(PicolloMeasure.CpuUsageByMode),
            measures.Contains(PicolloMeasure.CpuUsageByMode),
            [.. measures.SelectMany(measure => measure?.Ranks ?? []).Where(rank => rank is > 0 and < 100).Distinct().Order()]);
    }
}
