namespace Picollo.Export;

/// <summary>The buckets of an OpenTelemetry histogram with given bounds, which are inclusive. A counter belongs to the bucket that contains
/// the midpoint of its values, so that a count at a bound is exact up to the relative error of the histogram.</summary>
internal sealed class ExplicitBounds : HistogramBuckets
{
    /// <param name="histogram">A histogram of the kind to export.</param>
    /// <param name="ratio">The ratio of the histogram's unit to that of the bounds.</param>
    /// <param name="values">The bounds in ascending order.</param>
    public ExplicitBounds(ReadOnlyHdrHistogram histogram, double ratio, IReadOnlyList<double> values)
    {
        Values = values;
        HdrHistogramLayout layout = histogram.Layout;
        int end = layout.GetIndex(histogram.MaxTrackableValue) + 1;
        Ends = [.. values.Select(EndOf)];

        // A counter belongs to the bucket if its midpoint is not above the bound. The midpoint is divided, because a quotient is rounded
        // like a bound in decimal: 240 / 1e9 equals 2.4e-7, but 2.4e-7 * 1e9 is below 240.
        int EndOf(double bound)
        {
            double limit = bound * ratio;
            int index = limit < 0 ? 0 : limit >= layout.GetMidpoint(end - 1) ? end : layout.GetIndex((ulong)limit);
            while (index < end && layout.GetMidpoint(index) / ratio <= bound)
            {
                index++;
            }

            return index;
        }
    }

    public IReadOnlyList<double> Values { get; }

    /// <summary>Returns the index of the bucket for a value.</summary>
    public int BucketOf(double value)
    {
        int bucket = 0;
        while (bucket < Values.Count && value > Values[bucket])
        {
            bucket++;
        }

        return bucket;
    }
}
