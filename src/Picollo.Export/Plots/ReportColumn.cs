namespace Picollo.Export.Plots;

/// <summary>A series in the report's table, with the digits of the text table (<see cref="HdrHistogramSummary.ToTable"/>).</summary>
internal sealed class ReportColumn(PlotSeries series, double unit)
{
    private const string Nothing = "–";

    public HdrHistogramSummary Summary { get; } = series.Histogram.GetSummary();

    public string Name => series.Label;

    public bool IsEmpty => Summary.TotalCount == 0;

    /// <summary>The value at the standard rank of that number.</summary>
    public string At(int rank)
    {
        Percentile percentile = Summary.At(rank);
        return Text(UnitText.Value(percentile.Value, percentile.Bucket.Step, unit), percentile.Value);
    }

    /// <summary>A mean or a deviation, in the values' own unit.</summary>
    public string Moment(double value) => Text(UnitText.Real(value, unit), value);

    // A unit that does not suit the values must not make the table wider than a page.
    private string Text(string text, double value)
    {
        const int MostLetters = 26; // those of the largest value
        return IsEmpty ? Nothing : text.Length <= MostLetters ? text : PlotText.Exponent(value / unit);
    }
}
