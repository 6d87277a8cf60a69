namespace Picollo.Export.Plots;

/// <summary>The title and the unit of a plot or a report.</summary>
internal sealed class PlotOptions
{
    public PlotOptions(HdrHistogramUnit? unit, string title)
    {
        ArgumentNullException.ThrowIfNull(title);
        (Unit, Title) = (unit ?? new(), title);
    }

    public string Title { get; }

    public HdrHistogramUnit Unit { get; }

    public PlotOptions WithoutTitle() => new(Unit, "");
}
