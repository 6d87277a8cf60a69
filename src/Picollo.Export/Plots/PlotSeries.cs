namespace Picollo.Export.Plots;

/// <summary>A series that was checked and read.</summary>
internal sealed record PlotSeries(string Name, StillHistogram Histogram)
{
    /// <summary>The name in a legend and a table.</summary>
    public string Label => Histogram.UsedCount == 0 ? Name + " (no values)" : Name;

    /// <summary>Reads each of the series once.</summary>
    /// <exception cref="ArgumentNullException">No series, or one without name or histogram; the message says which.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message says which.</exception>
    public static PlotSeries[] ReadAll(IReadOnlyList<HdrHistogramSeries> series)
    {
        ArgumentNullException.ThrowIfNull(series);
        return [.. series.Select((one, i) => Read(one, nameof(series), $"{nameof(series)}[{i}]"))];
    }

    /// <param name="series">The series.</param>
    /// <param name="parameter">The argument that it is, or is in.</param>
    /// <param name="place">Its place there, for messages.</param>
    public static PlotSeries Read(HdrHistogramSeries series, string parameter, string place)
    {
        if (series.Name is null || series.Histogram is null)
        {
            string missing = series.Name is null ? nameof(series.Name) : nameof(series.Histogram);
            throw new ArgumentNullException(parameter, $"{place}.{missing} is null.");
        }

        try
        {
            return new(series.Name, new StillHistogram(series.Histogram));
        }
        catch (ObjectDisposedException e)
        {
            const int Letters = 80;
            throw new ObjectDisposedException(
                e.ObjectName, $"The histogram of {place}, \"{PlotText.Shorten(series.Name, Letters)}\", is disposed.");
        }
    }
}
