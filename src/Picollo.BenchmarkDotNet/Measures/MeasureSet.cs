namespace Picollo.BenchmarkDotNet.Measures;

/// <summary>The measures that one attribute or one call requests.</summary>
/// <param name="Measures">The measures, in order.</param>
/// <param name="IncludeKernel">Whether counters include kernel code.</param>
/// <param name="AllThreads">Whether counters include all threads of the process.</param>
/// <param name="RequiresCounter">Whether it is an error if the set contains no counter.</param>
internal sealed record MeasureSet(
    IReadOnlyList<PicolloMeasure> Measures, bool IncludeKernel = false, bool AllThreads = false, bool RequiresCounter = false);
