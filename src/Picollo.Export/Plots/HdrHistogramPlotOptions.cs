namespace Picollo.Export.Plots;

/// <summary>What a plot or a report says besides its curves.</summary>
/// <remarks>Read while a plot or report is made; later changes do not affect it. Not thread-safe while it is changed.</remarks>
public sealed class HdrHistogramPlotOptions
{
    /// <summary>The heading; none by default. Any text, treated as a name of a series is.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string Title
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = "";

    /// <summary>The unit of the values; none by default. Its name may be any text, treated as a name of a series is.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public HdrHistogramUnit Unit
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramUnit.None;

    /// <summary>A copy without the heading.</summary>
    internal HdrHistogramPlotOptions WithoutTitle() => new() { Unit = Unit };
}
