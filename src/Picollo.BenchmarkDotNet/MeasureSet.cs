using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet;

/// <summary>What one attribute, or one call, asks for. BenchmarkDotNet keeps one diagnoser of a type, whichever came first, but every
/// column provider; so these carry the measures through a configuration, and the diagnoser that stays finds them all.</summary>
/// <param name="Measures">In order.</param>
/// <param name="IncludeKernel">Whether all counters count in the kernel too.</param>
/// <param name="AllThreads">Whether all counters count every thread of the process.</param>
/// <param name="IsOfCounters">Whether it is a mistake to name no counter.</param>
internal sealed record MeasureSet(
    IReadOnlyList<PicolloMeasure> Measures, bool IncludeKernel = false, bool AllThreads = false, bool IsOfCounters = false)
    : IColumnProvider
{
    /// <summary>All that a configuration's attributes and calls ask for.</summary>
    public static IReadOnlyList<MeasureSet> Of(IConfig config) => [.. config.GetColumnProviders().OfType<MeasureSet>()];

    /// <summary>Those of single calls, and the ratio of CPU times; the others come of the diagnoser's metrics. Here all are seen together,
    /// of all classes where their summaries are joined, before the table is made of them.</summary>
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
