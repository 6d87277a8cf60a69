namespace Picollo.Export;

/// <summary>
/// The base-2 exponential buckets of Prometheus' native histograms and of OpenTelemetry, and the counters of a histogram that belong to
/// each of them. They depend on the layout and the range of the histogram, the unit and the schema, but not on the recorded values.
/// </summary>
/// <remarks>
/// <para>The bucket with the index i holds values above base^(i − 1) and up to base^i, with base = 2^(2^−schema), in the display unit
/// (https://prometheus.io/docs/specs/native_histograms/). A counter belongs to the bucket that contains the midpoint of its values.
/// OpenTelemetry has the same buckets, with indexes that are smaller by 1
/// (https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram).</para>
/// <para>Counters of the value 0 belong to no bucket.</para>
/// </remarks>
internal sealed class ExponentialBounds : HistogramBuckets
{
    public const int MinSchema = -4;
    public const int MaxSchema = 8;

    public ExponentialBounds(ReadOnlyHdrHistogram histogram, double ratio, int schema)
    {
        HdrHistogramLayout layout = histogram.Layout;
        int last = layout.GetIndex(histogram.MaxTrackableValue);
        ZeroEnd = layout.GetMidpoint(0) == 0 ? 1 : 0;
        int end = Math.Max(layout.GetIndex(histogram.MinTrackableValue), ZeroEnd);
        if (end > last)
        {
            return;
        }

        FirstBucket = BucketOf(layout.GetMidpoint(end) / ratio, schema);
        Ends = new int[BucketOf(layout.GetMidpoint(last) / ratio, schema) - FirstBucket + 1];
        for (int bucket = 0; bucket < Ends.Length; bucket++)
        {
            Ends[bucket] = end = EndOf(bucket);
        }

        // Finds the first counter whose midpoint is above the bucket. The search starts at the counter of the bound, which may be off by
        // one because of rounding.
        int EndOf(int bucket)
        {
            double bound = UpperBoundOf(FirstBucket + bucket, schema) * ratio;
            int index = bound >= layout.GetMidpoint(last) ? last + 1 : Math.Max(end, layout.GetIndex((ulong)bound));
            while (index > end && BucketOf(layout.GetMidpoint(index - 1) / ratio, schema) > FirstBucket + bucket)
            {
                index--;
            }

            while (index <= last && BucketOf(layout.GetMidpoint(index) / ratio, schema) <= FirstBucket + bucket)
            {
                index++;
            }

            return index;
        }
    }

    /// <summary>Returns the index of the bucket for a value above 0.</summary>
    public static int BucketOf(double value, int schema)
    {
        // The last bit of the logarithm may be wrong. The result is therefore compared with the bounds, so that a bound is in the bucket
        // that it ends.
        int bucket = (int)Math.Ceiling(Math.ScaleB(Math.Log2(value), schema));
        return value > UpperBoundOf(bucket, schema) ? bucket + 1 : value <= UpperBoundOf(bucket - 1, schema) ? bucket - 1 : bucket;
    }

    /// <summary>Returns the largest value of a bucket.</summary>
    public static double UpperBoundOf(int bucket, int schema)
    {
        if (schema <= 0)
        {
            return Math.ScaleB(1, bucket << -schema);
        }

        int inOctave = bucket & ((1 << schema) - 1);
        return Math.ScaleB(Math.Pow(2, Math.ScaleB(inOctave, -schema)), bucket >> schema);
    }
}
