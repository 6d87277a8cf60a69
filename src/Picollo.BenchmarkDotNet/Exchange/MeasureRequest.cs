namespace Picollo.BenchmarkDotNet.Exchange;

/// <summary>What the engine in the benchmark's process is to measure.</summary>
/// <param name="Counters">As a session can have them together.</param>
/// <param name="IncludeKernel">Whether they count in the kernel too.</param>
/// <param name="AllThreads">Whether they count the whole process.</param>
/// <param name="CpuUsage">Whether CPU time and context switches are asked for.</param>
/// <param name="HdrPercentiles">Whether single invocations are.</param>
internal sealed record MeasureRequest(
    IReadOnlyList<BenchmarkCounter> Counters, bool IncludeKernel, bool AllThreads, bool CpuUsage, bool HdrPercentiles)
{
    /// <summary>Nothing is asked for.</summary>
    public bool IsEmpty => Counters.Count == 0 && !CpuUsage && !HdrPercentiles;

    /// <summary>All that the sets ask for. A benchmark that returns something to be awaited goes on on other threads.</summary>
    public static MeasureRequest Of(IReadOnlyList<MeasureSet> sets, bool isAwaited)
    {
        PicolloMeasure[] measures = [.. sets.SelectMany(set => set.Measures)];
        return new(
            BenchmarkCounter.Choose(measures, out _),
            sets.Any(set => set.IncludeKernel),
            isAwaited || sets.Any(set => set.AllThreads),
            measures.Contains(PicolloMeasure.CpuUsage),
            measures.Contains(PicolloMeasure.HdrPercentiles));
    }
}
