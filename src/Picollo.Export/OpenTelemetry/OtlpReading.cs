namespace Picollo.Export;

/// <summary>The values that a histogram had recorded at a point in time, in exponential buckets. Immutable.</summary>
/// <param name="Buckets">The buckets with values, in ascending order.</param>
/// <param name="Zero">The number of zeros, and of values below the range.</param>
/// <param name="Sum">The sum of all values.</param>
/// <param name="ResetCount">The number of resets of the histogram.</param>
internal sealed record OtlpReading((int Bucket, ulong Count)[] Buckets, ulong Zero, double Sum, int ResetCount)
{

    /// <summary>The number of values.</summary>
    public ulong Count { get; } = Zero + Buckets.Aggregate(0UL, static (sum, bucket) => sum + bucket.Count);

    /// <summary>The smallest and the largest value; null if it is out of the histogram's range, or there are no values.</summary>
    public (double? Min, double? Max) Extremes { get; init; }

    /// <summary>Reads a histogram; null if it is disposed.</summary>
    public static OtlpReading? Of(HdrHistogramRegistration registration, ExponentialBounds bounds, List<(int Bucket, ulong Count)> used)
    {
        if (!registration.TryRead(out CountsCopy copy, out int resetCount))
        {
            return null;
        }

        using (copy)
        {
            bounds.ReadUsed(copy, used);
            ulong zero = copy.Underflow + copy.SumOfUsed(0, bounds.ZeroEnd);
            return new([.. used.Where(bucket => bucket.Count > 0)], zero, registration.SumOf(copy), resetCount)
            {
                Extremes = ExtremesOf(registration, copy),
            };
        }
    }

    /// <summary>Returns the values since an earlier reading. There must be no reset between the two.</summary>
    public OtlpReading Since(OtlpReading earlier)
    {
        List<(int, ulong)> grown = [];
        int next = 0;
        foreach ((int bucket, ulong count) in Buckets)
        {
            bool wasUsed = next < earlier.Buckets.Length && earlier.Buckets[next].Bucket == bucket;
            ulong before = wasUsed ? earlier.Buckets[next++].Count : 0;
            if (count > before)
            {
                grown.Add((bucket, count - before));
            }
        }

        return new([.. grown], Zero - earlier.Zero, Sum - earlier.Sum, ResetCount);
    }

    private static (double?, double?) ExtremesOf(HdrHistogramRegistration registration, CountsCopy copy)
    {
        HdrHistogram histogram = registration.Histogram;
        ReadOnlySpan<ulong> counts = copy.Counts[copy.Used];
        int first = counts.IndexOfAnyExcept(0UL);
        int last = counts.LastIndexOfAnyExcept(0UL);
        return (first < 0 || copy.Underflow > 0 ? null : ValueAt(first), last < 0 || copy.Overflow > 0 ? null : ValueAt(last));

        double? ValueAt(int index) =>
            histogram.Layout.MidpointOf(histogram.FirstIndex + (uint)(copy.Used.Start.Value + index)) / registration.Description.Unit.Ratio;
    }
}
