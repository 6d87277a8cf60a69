namespace Picollo.Benchmarks.Perf.Contenders;

internal static class PerfOperations
{
    /// <summary>At some 10 ns each.</summary>
    public const int Reads = 5_000;

    /// <summary>At some hundreds of nanoseconds each.</summary>
    public const int Calls = 300;
}
