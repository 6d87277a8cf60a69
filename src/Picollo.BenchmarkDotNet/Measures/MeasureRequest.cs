namespace Picollo.BenchmarkDotNet.Measures;

/// <summary>The measures that the engine in the benchmark process takes.</summary>
internal sealed record MeasureRequest(
    IReadOnlyList<BenchmarkCounter> Counters, bool IncludeKernel, bool AllThreads, bool CpuUsage, bool ByMode, IReadOnlyList<double> Ranks)
{
    public bool IsEmpty => Counters.Count == 0 && !CpuUsage && !HasInvocations;

    public bool HasInvocations => Ranks.Count > 0;

    /// <summary>Merges sets to a request. A benchmark that returns an awaitable may continue on other threads, so its counters include all
    /// threads.</summary>
    public static MeasureRequest FromSets(IReadOnlyList<MeasureSet> sets, bool isAwaited)
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

/// <summary>The measures that one attribute or one call requests.</summary>
internal sealed record MeasureSet(
    IReadOnlyList<PicolloMeasure> Measures, bool IncludeKernel = false, bool AllThreads = false, bool RequiresCounter = false);
