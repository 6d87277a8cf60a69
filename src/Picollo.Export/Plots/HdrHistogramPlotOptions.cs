using Picollo.Metrics;

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
        set
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
        set
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
        set
        {
            UnitRatio.CheckWithinUnits(value);
            field = value;
        }
    } = 1;

    /// <summary>A copy without the heading.</summary>
    internal HdrHistogramPlotOptions WithoutTitle() => new() { Unit = Unit, ValueUnitRatio = ValueUnitRatio };

    /// <summary>The unit with a bound to its length, or what stands in its place.</summary>
    internal string UnitOr(string nothing)
    {
        const int Letters = 20;
        return Unit.Length == 0 ? nothing : PlotText.Shorten(Unit, Letters);
    }

    /// <summary>A text with the unit after it.</summary>
    internal string WithUnit(string text) => Unit.Length == 0 ? text : $"{text} {UnitOr("")}";
}
