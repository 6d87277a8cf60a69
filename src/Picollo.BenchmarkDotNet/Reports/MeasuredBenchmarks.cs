using System.Runtime.CompilerServices;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Exchange;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>The results of benchmarks, for columns and exporters, which receive a summary of benchmarks and not the diagnoser. A result
/// lives as long as its benchmark.</summary>
internal static class MeasuredBenchmarks
{
    private static readonly ConditionalWeakTable<BenchmarkCase, MeasureResult> Results = [];

    /// <summary>Returns the result of a benchmark; null if nothing was measured.</summary>
    public static MeasureResult? GetResult(BenchmarkCase benchmark) =>
        Results.TryGetValue(benchmark, out MeasureResult? result) ? result : null;

    /// <summary>Sets the result of a benchmark, also if it already has one.</summary>
    public static void SetResult(BenchmarkCase benchmark, MeasureResult result) => Results.AddOrUpdate(benchmark, result);
}
