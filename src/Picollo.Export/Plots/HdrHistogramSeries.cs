namespace Picollo.Export.Plots;

/// <summary>A histogram with the name that a legend, a table and a tooltip give it.</summary>
/// <remarks>Immutable.</remarks>
public readonly record struct HdrHistogramSeries
{
    /// <summary>Names a histogram.</summary>
    /// <param name="name">See <see cref="Name"/>.</param>
    /// <param name="histogram">See <see cref="Histogram"/>.</param>
    public HdrHistogramSeries(string name, ReadOnlyHdrHistogram histogram) => (Name, Histogram) = (name, histogram);

    /// <summary>Any text, and none trusted: it is encoded, shortened where there is no room, and characters that have no look of their
    /// own (controls, overrides of the writing direction, halves of surrogate pairs) show as U+FFFD.</summary>
    public string Name { get; }

    /// <summary>What is drawn. A plot reads it once; give a snapshot where several plots shall show one moment.</summary>
    public ReadOnlyHdrHistogram Histogram { get; }
}
