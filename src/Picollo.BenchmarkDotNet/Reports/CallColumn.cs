using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>A column for single calls. It shows "-" if a benchmark has too few calls for a percentile. The default metric column would show
/// "NA", and would be omitted if no benchmark had a value.</summary>
/// <param name="metric">The metric of benchmarks that have a value.</param>
/// <param name="hasGaps">Whether single calls were not measured for some benchmarks.</param>
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
