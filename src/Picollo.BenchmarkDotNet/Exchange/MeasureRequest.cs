namespace Picollo.BenchmarkDotNet.Exchange;

/// <summary>What the engine in the benchmark's process is to measure.</summary>
/// <param name="Counters">As a session can have them together.</param>
/// <param name="IncludeKernel">Whether they count in the kernel too.</param>
/// <param name="AllThreads">Whether they count the whole process.</param>
/// <param name="CpuUsage">Whether CPU time and context switches are asked for.</param>
/// <param name="ByMode">Whether user and kernel time are asked for apart.</param>
/// <param name="Ranks">The percentiles of single invocations that are asked for.</param>
internal sealed record MeasureRequest(
    IReadOnlyList<BenchmarkCounter> Counters, bool IncludeKernel, bool AllThreads, bool CpuUsage, bool ByMode, IReadOnlyList<double> Ranks)
{
    /// <summary>Nothing is asked for.</summary>
    public bool IsEmpty => Counters.Count == 0 && !CpuUsage && !HasInvocations;

    /// <summary>Whether single invocations are asked for.</summary>
    public bool HasInvocations => Ranks.Count > 0;

    /// <summary>All that the sets ask for. A benchmark that returns something to be awaited goes on on other threads.</summary>
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
