using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>A column of single calls, with "-" for a benchmark that has no percentile at a rank. BenchmarkDotNet's own column would have
/// "NA", and there would be none if that is so for each benchmark.</summary>
/// <param name="metric">What benchmarks that have the value carry.</param>
/// <param name="hasGaps">Whether there are benchmarks for which it was not asked.</param>
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

    public static bool IsMeasured(BenchmarkCase benchmark) => PicolloDiagnoser.ResultOf(benchmark)?.Invocations is not null;
}
