namespace Picollo.Export.Plots;

/// <summary>The title and the unit of a plot or a report.</summary>
/// <remarks>The options are read while a plot or report is created; later changes do not affect it. Not thread-safe while an option is
/// being changed.</remarks>
public sealed class HdrHistogramPlotOptions
{
    /// <summary>The title; empty by default. Any text is allowed; it is encoded and shortened like the name of a series.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string Title
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = "";

    /// <summary>The unit of the values; none by default. Its name can be any text; it is encoded and shortened like the name of a
    /// series.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public HdrHistogramUnit Unit
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramUnit.None;

    internal HdrHistogramPlotOptions WithoutTitle() => new() { Unit = Unit };
}
