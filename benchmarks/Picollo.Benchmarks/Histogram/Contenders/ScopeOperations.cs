namespace Picollo.Benchmarks.Histogram.Contenders;

internal static class ScopeOperations
{
    /// <summary>At some 40 ns each, a repetition of a few milliseconds.</summary>
    public const int PerRun = 100_000;
}
