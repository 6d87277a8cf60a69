using Picollo.Metrics;

namespace Picollo.Export.Plots;

/// <summary>A histogram with the name that a legend, a table and a tooltip give it.</summary>
/// <param name="Name">Any text, and none trusted: it is encoded, shortened where there is no room, and characters that have no look
/// of their own (controls, overrides of the writing direction, halves of surrogate pairs) show as U+FFFD.</param>
/// <param name="Histogram">What is drawn. A plot reads it once; give a snapshot where several plots shall show one moment.</param>
public readonly record struct HdrHistogramSeries(string Name, ReadOnlyHdrHistogram Histogram);
