using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet;

/// <summary>What one attribute, or one call, asks for.</summary>
/// <param name="Measures">In order.</param>
/// <param name="IsOfCounters">Whether it is a mistake to name no counter.</param>
internal sealed record MeasureSet(IReadOnlyList<PicolloMeasure> Measures, bool IsOfCounters = false)
{
    /// <summary>All that a configuration's attributes and calls ask for.</summary>
    public static IReadOnlyList<MeasureSet> Of(IConfig config) =>
        [.. config.GetColumnProviders().OfType<MeasureCarrier>().Select(carrier => carrier.Measures)];
}

/// <summary>Brings measures into a configuration. BenchmarkDotNet keeps one diagnoser of a type, whichever came first, but every column
/// provider; so the measures are these, and the diagnoser that stays finds them all.</summary>
internal sealed class MeasureCarrier(MeasureSet measures) : IColumnProvider
{
    public MeasureSet Measures { get; } = measures;

    /// <summary>None: columns come of the diagnoser's metrics. But here they are seen together, of all classes where their summaries are
    /// joined, before the table is made of them.</summary>
    public IEnumerable<IColumn> GetColumns(Summary summary)
    {
        MeasureMetric.Align(summary.Reports.SelectMany(report => report.Metrics.Values));
        return [];
    }
}
