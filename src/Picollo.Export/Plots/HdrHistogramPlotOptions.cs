using Picollo.Metrics;

namespace Picollo.Export.Plots;

/// <summary>What a plot or a report says besides its curves. Immutable, so that it can be shared.</summary>
public sealed record HdrHistogramPlotOptions
{
    /// <summary>The heading; none by default. Any text, treated as a name of a series is.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string Title
    {
        get;
        init
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value;
        }
    } = "";

    /// <summary>The unit of the values; none by default. Its name may be any text, treated as a name of a series is.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public HdrHistogramUnit Unit
    {
        get;
        init
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value;
        }
    } = HdrHistogramUnit.None;

    /// <summary>What nobody gave options for.</summary>
    internal static HdrHistogramPlotOptions Default { get; } = new();

    /// <summary>The unit with a bound to its length, or what stands in its place.</summary>
    internal string UnitOr(string nothing)
    {
        const int Letters = 20;
        return Unit.Name.Length == 0 ? nothing : PlotText.Shorten(Unit.Name, Letters);
    }

    /// <summary>A text with the unit after it.</summary>
    internal string WithUnit(string text) => Unit.Name.Length == 0 ? text : $"{text} {UnitOr("")}";
}
