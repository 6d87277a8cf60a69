namespace Picollo.Export.Plots;

/// <summary>A series in the report's table. All its values have the same number of decimals, so that they line up.</summary>
internal sealed class ReportColumn
{
    private const string Nothing = "–";

    /// <summary>Values that this many decimals do not show have an exponent.</summary>
    private const int MaxDecimals = 9;

    private readonly double _unit;
    private readonly int _decimals;

    public ReportColumn(PlotSeries series, double unit)
    {
        _unit = unit;
        Summary = series.Histogram.GetSummary();
        Name = series.Label;
        double[] values = [.. Enumerable.Range(0, HdrHistogramSummary.StandardRanks.Length).Select(i => Summary.At(i).Value / unit)];
        int most = MostDecimals(values[^1], unit);
        _decimals = Math.Max(
            values.Max(value => Needed(value, Math.Max(most, DecimalsOfSmall(values)))),
            Math.Max(Needed(Summary.Mean / unit, most), Needed(Summary.StDev / unit, most)));
    }

    public HdrHistogramSummary Summary { get; }

    public string Name { get; }

    public bool IsEmpty => Summary.TotalCount == 0;

    /// <summary>The value at the standard rank of that number.</summary>
    public string At(int rank) => IsEmpty ? Nothing
        : _unit == 1 ? Summary.At(rank).Value.ToString(Format, CultureInfo.InvariantCulture) // every digit of it
        : Text(Summary.At(rank).Value / _unit);

    /// <summary>A mean or a deviation, in the values' own unit.</summary>
    public string Moment(double value) => IsEmpty ? Nothing : Text(value / _unit);

    private string Format => string.Create(CultureInfo.InvariantCulture, $"N{_decimals}");

    private string Text(double value) => value == 0 || PlotText.HasPlaces(value, _decimals)
        ? value.ToString(Format, CultureInfo.InvariantCulture)
        : PlotText.Exponent(value);

    // As many as a value alone has. In their own unit values are whole: those of their mean are few, and none where it has four digits.
    private static int MostDecimals(double largest, double unit) => unit == 1
        ? largest switch { >= 1000 => 0, >= 100 => 1, _ => 2 }
        : largest >= 1000 ? 2 : 4;

    /// <summary>Enough for three digits of the smallest one, where four are not.</summary>
    private static int DecimalsOfSmall(double[] values)
    {
        double smallest = values.FirstOrDefault(value => value > 0, 1);
        return smallest < 0.001 ? (int)Math.Min(MaxDecimals, 2 - Math.Floor(Math.Log10(smallest))) : 0;
    }

    /// <summary>How many of so many decimals are not zeros at the end.</summary>
    private static int Needed(double value, int most)
    {
        int needed = 0;
        while (needed < most && Math.Round(value, needed) != Math.Round(value, most))
        {
            needed++;
        }

        return needed;
    }
}
