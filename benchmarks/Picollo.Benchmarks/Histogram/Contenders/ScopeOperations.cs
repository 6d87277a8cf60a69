namespace Picollo.Benchmarks.Histogram.Contenders;

internal static class ScopeOperations
{
    /// <summary>At some 40 ns each.</summary>
    public const int PerRun = 2_000;
}
