using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>The columns of a set of measures. BenchmarkDotNet keeps only the first diagnoser of each type, but keeps every column provider.
/// Therefore, column providers carry the measures in a configuration, and the diagnoser collects them.</summary>
internal sealed class MeasureColumns(MeasureSet set) : IColumnProvider
{
    public static IReadOnlyList<MeasureSet> GetSets(IConfig config) =>
        [.. config.GetColumnProviders().OfType<MeasureColumns>().Select(columns => columns.Set)];

    public MeasureSet Set { get; } = set;

    /// <summary>Returns the columns for single calls and the CPU ratio. Other columns are created from the diagnoser's metrics.
    /// BenchmarkDotNet calls this method before it creates the table, with the metrics of all benchmarks, including those of joined
    /// summaries, so they can be aligned here.</summary>
    public IEnumerable<IColumn> GetColumns(Summary summary)
    {
        MeasureMetric.Align(summary.Reports.SelectMany(report => report.Metrics.Values), summary.Reports.Length);
        MeasureRequest request = MeasureRequest.FromSets([Set], isAwaited: false);
        bool hasGaps = summary.Reports.Any(report => !CallColumn.IsMeasured(report.BenchmarkCase));
        return
        [
            .. MeasureMetrics.DescribeCalls(request.Ranks).Select(metric => new CallColumn(metric, hasGaps)),
            .. request.CpuUsage ? [new CpuRatioColumn()] : Array.Empty<IColumn>(),
        ];
    }
}

/// <summary>A column for single calls. It shows "-" if a benchmark has too few calls for a percentile. The default metric column would show
/// "NA", and would be omitted if no benchmark had a value. It has gaps if single calls were not measured for some benchmarks.</summary>
internal sealed class CallColumn(MeasureMetric metric, bool hasGaps) : IColumn
{
    private readonly MetricColumn _column = new(metric);

    public string Id => metric.Id;

    public string ColumnName => metric.DisplayName;

    public bool AlwaysShow => true;

    public ColumnCategory Category => ColumnCategory.Metric;

    public int PriorityInCategory => metric.PriorityInCategory;

    public bool IsNumeric => true;

    public UnitType UnitType => metric.UnitType;

    public string Legend => hasGaps ? $"{metric.Legend}; {MeasureMetric.Gap}" : metric.Legend;

    public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

    public bool IsAvailable(Summary summary) => summary.Reports.Any(report => IsMeasured(report.BenchmarkCase));

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase) => GetValue(summary, benchmarkCase, SummaryStyle.Default);

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) =>
        IsMeasured(benchmarkCase) && summary[benchmarkCase]?.Metrics.ContainsKey(metric.Id) == false
            ? "-"
            : _column.GetValue(summary, benchmarkCase, style);

    public static bool IsMeasured(BenchmarkCase benchmark) => MeasuredBenchmarks.GetResult(benchmark)?.Invocations is not null;
}

/// <summary>A column for the ratio of the CPU time to the baseline, like the Ratio column of BenchmarkDotNet for the mean.</summary>
internal sealed class CpuRatioColumn : IColumn
{
    public string Id => "CPU Ratio";

    public string ColumnName => Id;

    public bool AlwaysShow => true;

    public ColumnCategory Category => ColumnCategory.Metric;

    public int PriorityInCategory => MeasureMetrics.CpuPriority + 1;

    public bool IsNumeric => true;

    public UnitType UnitType => UnitType.Dimensionless;

    public string Legend => "CPU time per operation divided by the CPU time of the baseline";

    public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

    public bool IsAvailable(Summary summary) =>
        summary.HasBaselines() && summary.Reports.Any(report => CpuOf(summary, report.BenchmarkCase) is not null);

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase) => GetValue(summary, benchmarkCase, SummaryStyle.Default);

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style)
    {
        BenchmarkCase? baseline = summary.GetBaseline(summary.GetLogicalGroupKey(benchmarkCase));
        return baseline is not null && CpuOf(summary, baseline) is > 0 and { } before && CpuOf(summary, benchmarkCase) is { } own
            ? (own / before).ToString("N2", summary.GetCultureInfo())
            : "-";
    }

    private static double? CpuOf(Summary summary, BenchmarkCase benchmark) =>
        summary[benchmark]?.Metrics.TryGetValue(MeasureMetrics.CpuTime, out Metric? metric) == true ? metric.Value : null;
}

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
