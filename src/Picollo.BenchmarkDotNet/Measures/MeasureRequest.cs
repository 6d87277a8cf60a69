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
            IsSet(sets, set => set.IncludeKernel),
            isAwaited || IsSet(sets, set => set.AllThreads),
            measures.Any(measure => measure?.IsCpuUsage == true),
            measures.Contains(PicolloMeasure.CpuUsageWithUserAndKernel),
            [.. measures.SelectMany(measure => measure?.Ranks ?? []).Where(rank => rank is > 0 and < 100).Distinct().Order()]);
    }

    /// <summary>Returns the last value of an option from a call, or otherwise whether an attribute sets it.</summary>
    private static bool IsSet(IReadOnlyList<MeasureSet> sets, Func<MeasureSet, bool?> option) =>
        sets.Where(set => !set.RequiresCounter).Select(option).LastOrDefault(value => value is not null)
        ?? sets.Any(set => option(set) == true);
}

/// <summary>The measures that one attribute or one call requests. An option is null if it is not specified; an attribute cannot turn it
/// off.</summary>
internal sealed record MeasureSet(
    IReadOnlyList<PicolloMeasure> Measures, bool? IncludeKernel = null, bool? AllThreads = null, bool RequiresCounter = false);
