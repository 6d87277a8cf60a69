using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>One column of the results table, as one benchmark describes it.</summary>
internal sealed class MeasureMetric(
    string id, string legend, int priority, bool isTime = false, bool isRatio = false, bool hasOwnColumn = false,
    bool isShownIfZero = true) : IMetricDescriptor
{
    /// <summary>With the decimals that are shown, less is nothing, which BenchmarkDotNet shows as "-".</summary>
    private const double LeastShown = 0.00005;

    /// <summary>What BenchmarkDotNet shows in the rows of a joined table that lack a column.</summary>
    public const string Gap = "NA: not measured for that benchmark";

    private double _least = double.PositiveInfinity;
    private bool _hasGaps;

    public string Id => id;

    /// <summary>With a word if one of the values is an estimate.</summary>
    public string DisplayName => IsScaled ? $"{id} (scaled)" : id;

    public string Legend => legend
        + (IsScaled ? "; more counters than the CPU has: it counted part of the time and is scaled up" : "")
        + (_hasGaps ? $"; {Gap}" : "");

    public string NumberFormat => isRatio ? "0.00" : isTime ? "#,0.###" : _least switch
    {
        >= 1000 => "#,0",
        >= 1 => "#,0.00",
        _ => "#,0.0000",
    };

    public UnitType UnitType => isTime ? UnitType.Time : UnitType.Dimensionless;

    public string Unit => isTime ? "ns" : "";

    public bool TheGreaterTheBetter => id == MeasureMetrics.InstructionsPerCycle;

    public int PriorityInCategory => priority;

    /// <summary>Whether it has a column that is not BenchmarkDotNet's.</summary>
    public bool HasOwnColumn => hasOwnColumn;

    public bool IsScaled { get; private set; }

    public Metric Of(double value, bool isScaled = false)
    {
        IsScaled |= isScaled;
        value = isTime ? Rounded(value) : Math.Abs(value) < LeastShown ? 0 : value;
        _least = value > 0 ? Math.Min(_least, value) : _least;
        return new(this, value);
    }

    /// <summary>Gives those that stand in one column one header and one number of decimals: the table takes any of them.</summary>
    /// <param name="ofTable">The metrics of all rows.</param>
    /// <param name="rows">The number of rows.</param>
    public static void Align(IEnumerable<Metric> ofTable, int rows)
    {
        foreach (IGrouping<string, MeasureMetric> ofColumn in ofTable
            .Select(metric => metric.Descriptor)
            .OfType<MeasureMetric>()
            .GroupBy(one => one.Id))
        {
            double least = ofColumn.Min(one => one._least);
            bool isScaled = ofColumn.Any(one => one.IsScaled);
            bool hasGaps = ofColumn.Count() < rows;
            foreach (MeasureMetric one in ofColumn)
            {
                (one._least, one.IsScaled, one._hasGaps) = (least, isScaled, hasGaps);
            }
        }
    }

    // BenchmarkDotNet makes no column of what is not available for any benchmark.
    public bool GetIsAvailable(Metric metric) => !hasOwnColumn && (isShownIfZero || metric.Value > 0);

    public override string ToString() => DisplayName;

    /// <summary>As many digits as are known: histograms have three, and clocks no more.</summary>
    private static double Rounded(double value)
    {
        const int Digits = 4;
        double unit = value == 0 ? 1 : Math.Pow(10, Math.Floor(Math.Log10(Math.Abs(value))) - Digits + 1);
        return Math.Round(value / unit) * unit;
    }
}
