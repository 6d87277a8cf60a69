using System.Collections.Concurrent;

namespace Picollo.Export;

/// <summary>Caches the bounds for each kind of histogram. There are few kinds. Thread-safe.</summary>
internal sealed class ExponentialBoundsCache(int schema)
{
    private readonly ConcurrentDictionary<(HdrLayout, uint FirstIndex, int Length, double Ratio), ExponentialBounds> _bounds = new();

    public ExponentialBounds Of(HdrHistogramRegistration registration)
    {
        HdrHistogram histogram = registration.Histogram;
        double ratio = registration.Description.Unit.Ratio;
        return _bounds.GetOrAdd(
            (histogram.Layout, histogram.FirstIndex, histogram.Length, ratio), _ => new ExponentialBounds(histogram, ratio, schema));
    }
}
