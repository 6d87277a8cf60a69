using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>The columns of a set of measures. BenchmarkDotNet keeps only the first diagnoser of each type, but keeps every column provider.
/// Therefore, column providers carry the measures in a configuration, and the diagnoser collects them.</summary>
/// <param name="set">The measures.</param>
internal sealed class MeasureColumns(MeasureSet set) : IColumnProvider
{
    /// <summary>Returns the sets of all attributes and calls in a configuration.</summary>
    public static IReadOnlyList<MeasureSet> GetSets(IConfig config) =>
        [.. config.GetColumnProviders().OfType<MeasureColumns>().Select(columns => columns.Set)];

    public MeasureSet Set { get; } = set;

    /// <summary>Returns the columns for single calls and the CPU ratio. Other columns are created from the diagnoser's metrics.
    /// BenchmarkDotNet calls this method before it creates the table, with the metrics of all benchmarks, including those of joined
    /// summaries, so they can be aligned here.</summary>
    public IEnumerable<IColumn> GetColumns(Summary summary)
    {
        MeasureMetric.Align(summary.Reports.SelectMany(report => report.Metrics.Values), summary.Reports.Length);
        MeasureRequest request = MeasureRequest.Of([Set], isAwaited: false);
        bool hasGaps = summary.Reports.Any(report => !CallColumn.IsMeasured(report.BenchmarkCase));
        return
        [
            .. MeasureMetrics.OfCalls(request.Ranks).Select(metric => new CallColumn(metric, hasGaps)),
            .. request.CpuUsage ? [new CpuRatioColumn()] : Array.Empty<IColumn>(),
        ];
    }
}
