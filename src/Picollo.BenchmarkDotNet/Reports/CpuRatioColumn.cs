using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Picollo.BenchmarkDotNet.Reports;

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
