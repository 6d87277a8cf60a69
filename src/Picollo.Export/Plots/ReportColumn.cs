namespace Picollo.Export.Plots;

/// <summary>A series in the report's table, with the digits of the text table (<see cref="HdrHistogramSummary.ToTable"/>).</summary>
internal sealed class ReportColumn(PlotSeries series, double unit)
{
    private const string Nothing = "–";

    public HdrHistogramSummary Summary { get; } = series.Histogram.GetSummary();

    public string Name => series.Label;

    public bool IsEmpty => Summary.TotalCount == 0;

    /// <summary>Returns the value at a standard rank, given by its index.</summary>
    public string At(int rank)
    {
        Percentile percentile = Summary.At(rank);
        return Text(UnitText.Value(percentile.Value, percentile.Bucket.Step, unit), percentile.Value);
    }

    /// <summary>Formats a mean or a deviation, which is in the unit of recorded values.</summary>
    public string Moment(double value) => Text(UnitText.Real(value, unit), value);

    // If the unit does not suit the values, the table must not become wider than a page.
    private string Text(string text, double value)
    {
        const int MaxLetters = 26; // the length of the largest value
        return IsEmpty ? Nothing : text.Length <= MaxLetters ? text : PlotText.Exponent(value / unit);
    }
}
