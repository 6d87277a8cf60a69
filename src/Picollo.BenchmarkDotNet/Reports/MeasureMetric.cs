using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>The descriptor of a column in the results table. Each benchmark has its own.</summary>
internal sealed class MeasureMetric(
    string id, string legend, int priority, bool isTime = false, bool isRatio = false, bool hasOwnColumn = false,
    bool isShownIfZero = true) : IMetricDescriptor
{
    /// <summary>The smallest value that does not round to 0 with the displayed decimals. BenchmarkDotNet shows 0 as "-".</summary>
    private const double MinShownValue = 0.00005;

    /// <summary>The explanation of NA, which BenchmarkDotNet shows in rows of a joined table without a value.</summary>
    public const string Gap = "NA: not measured for this benchmark";

    private double _smallest = double.PositiveInfinity;
    private bool _hasGaps;

    public string Id => id;

    /// <summary>The column header, with a suffix if one of the values is an estimate.</summary>
    public string DisplayName => IsScaled ? $"{id} (scaled)" : id;

    public string Legend => legend
        + (IsScaled ? "; scaled: the CPU has too few counters, so this one counted only part of the time" : "")
        + (_hasGaps ? $"; {Gap}" : "");

    public string NumberFormat => isRatio ? "0.00" : isTime ? "#,0.###" : _smallest switch
    {
        >= 1000 => "#,0",
        >= 1 => "#,0.00",
        _ => "#,0.0000",
    };

    public UnitType UnitType => isTime ? UnitType.Time : UnitType.Dimensionless;

    public string Unit => isTime ? "ns" : "";

    public bool TheGreaterTheBetter => id == MeasureMetrics.InstructionsPerCycle;

    public int PriorityInCategory => priority;

    /// <summary>Whether the metric has a custom column instead of BenchmarkDotNet's.</summary>
    public bool HasOwnColumn => hasOwnColumn;

    public bool IsScaled { get; private set; }

    public Metric ToMetric(double value, bool isScaled = false)
    {
        IsScaled |= isScaled;
        value = isTime ? Rounded(value) : Math.Abs(value) < MinShownValue ? 0 : value;
        _smallest = value > 0 ? Math.Min(_smallest, value) : _smallest;
        return new(this, value);
    }

    /// <summary>Aligns the header and the number of decimals of all metrics in a column, because the table uses any of them.</summary>
    public static void Align(IEnumerable<Metric> ofTable, int rows)
    {
        foreach (IGrouping<string, MeasureMetric> ofColumn in ofTable
            .Select(metric => metric.Descriptor)
            .OfType<MeasureMetric>()
            .GroupBy(metric => metric.Id))
        {
            double smallest = ofColumn.Min(metric => metric._smallest);
            bool isScaled = ofColumn.Any(metric => metric.IsScaled);
            bool hasGaps = ofColumn.Count() < rows;
            foreach (MeasureMetric metric in ofColumn)
            {
                (metric._smallest, metric.IsScaled, metric._hasGaps) = (smallest, isScaled, hasGaps);
            }
        }
    }

    // BenchmarkDotNet omits a column if its metric is unavailable for all benchmarks.
    public bool GetIsAvailable(Metric metric) => !hasOwnColumn && (isShownIfZero || metric.Value > 0);

    public override string ToString() => DisplayName;

    /// <summary>Rounds to the significant digits: histograms have three, and clocks have no more.</summary>
    private static double Rounded(double value)
    {
        const int Digits = 4;
        double unit = value == 0 ? 1 : Math.Pow(10, Math.Floor(Math.Log10(Math.Abs(value))) - Digits + 1);
        return Math.Round(value / unit) * unit;
    }
}
