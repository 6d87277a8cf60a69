using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet;

/// <summary>The measures that one attribute or one call requests. BenchmarkDotNet keeps only the first diagnoser of each type, but keeps
/// every column provider. Therefore, column providers carry the measures, and the diagnoser collects them.</summary>
/// <param name="Measures">The measures, in order.</param>
/// <param name="IncludeKernel">Whether counters include kernel code.</param>
/// <param name="AllThreads">Whether counters include all threads of the process.</param>
/// <param name="RequiresCounter">Whether it is an error if the set contains no counter.</param>
internal sealed record MeasureSet(
    IReadOnlyList<PicolloMeasure> Measures, bool IncludeKernel = false, bool AllThreads = false, bool RequiresCounter = false)
    : IColumnProvider
{
    /// <summary>Returns the sets of all attributes and calls in a configuration.</summary>
    public static IReadOnlyList<MeasureSet> Of(IConfig config) => [.. config.GetColumnProviders().OfType<MeasureSet>()];

    /// <summary>Returns the columns for single calls and the CPU ratio. Other columns are created from the diagnoser's metrics.
    /// BenchmarkDotNet calls this method before it creates the table, with the metrics of all benchmarks, including those of joined
    /// summaries, so they can be aligned here.</summary>
    public IEnumerable<IColumn> GetColumns(Summary summary)
    {
        MeasureMetric.Align(summary.Reports.SelectMany(report => report.Metrics.Values), summary.Reports.Length);
        MeasureRequest request = MeasureRequest.Of([this], isAwaited: false);
        bool hasGaps = summary.Reports.Any(report => !CallColumn.IsMeasured(report.BenchmarkCase));
        return
        [
            .. MeasureMetrics.OfCalls(request.Ranks).Select(metric => new CallColumn(metric, hasGaps)),
            .. request.CpuUsage ? [new CpuRatioColumn()] : Array.Empty<IColumn>(),
        ];
    }
}
