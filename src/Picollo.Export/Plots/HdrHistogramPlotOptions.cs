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

    /// <summary>The unit of the values after division by <see cref="ValueUnitRatio"/>, such as "ms"; none by default.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string Unit
    {
        get;
        init
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value;
        }
    } = "";

    /// <summary>What values are divided by: 1,000,000 shows nanoseconds as milliseconds. From 10⁻³⁰ to 10³⁰; 1 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double ValueUnitRatio
    {
        get;
        init
        {
            UnitRatio.CheckWithinUnits(value);
            field = value;
        }
    } = 1;

    /// <summary>What nobody gave options for.</summary>
    internal static HdrHistogramPlotOptions Default { get; } = new();

    /// <summary>The unit with a bound to its length, or what stands in its place.</summary>
    internal string UnitOr(string nothing)
    {
        const int Letters = 20;
        return Unit.Length == 0 ? nothing : PlotText.Shorten(Unit, Letters);
    }

    /// <summary>A text with the unit after it.</summary>
    internal string WithUnit(string text) => Unit.Length == 0 ? text : $"{text} {UnitOr("")}";
}
