using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Exchange;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>What was measured of each benchmark, for as long as that lives: exporters get a summary of benchmarks and know no
/// diagnoser.</summary>
internal static class MeasureResults
{
    private static readonly ConditionalWeakTable<BenchmarkCase, MeasureResult> Results = [];

    public static void Set(BenchmarkCase benchmark, MeasureResult result) => Results.AddOrUpdate(benchmark, result);

    public static bool TryGet(BenchmarkCase benchmark, [NotNullWhen(true)] out MeasureResult? result) =>
        Results.TryGetValue(benchmark, out result);
}
