namespace Picollo.Export.Plots;

/// <summary>A histogram with its name in legends, tables and tooltips.</summary>
/// <remarks>Immutable.</remarks>
public readonly record struct HdrHistogramSeries
{
    /// <summary>Creates a series.</summary>
    /// <param name="name">The name.</param>
    /// <param name="histogram">The histogram.</param>
    public HdrHistogramSeries(string name, ReadOnlyHdrHistogram histogram) => (Name, Histogram) = (name, histogram);

    /// <summary>The name. Any text is allowed, including untrusted text: it is encoded, and shortened if there is not enough space.
    /// Invisible characters (controls, overrides of the text direction, lone surrogates) are shown as U+FFFD.</summary>
    public string Name { get; }

    /// <summary>The histogram. A plot reads it once; use a snapshot if several plots must be consistent.</summary>
    public ReadOnlyHdrHistogram Histogram { get; }
}
