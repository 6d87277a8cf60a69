using Picollo.AspNetCore.Usage;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>A subject's histograms at a moment. The browser keeps them and sends them back; the server stores no mark.</summary>
/// <param name="Time">The moment.</param>
/// <param name="Histograms">The histograms, each encoded as V2 and compressed.</param>
internal sealed record Mark(DateTimeOffset Time, IReadOnlyList<byte[]> Histograms)
{
    /// <summary>Marks the present state.</summary>
    /// <exception cref="ArgumentException">A histogram has values that the encoding cannot represent.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public static Mark Of(Subject subject, DateTimeOffset now) =>
        new(now, [.. subject.Registrations.Select(registration => HdrHistogramEncoding.EncodeCompressed(registration.Histogram))]);

    /// <summary>Pairs the histograms of the mark with the present ones.</summary>
    /// <exception cref="FormatException">This is not a mark, or one of another subject.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public IReadOnlyList<MarkedPair> Compare(Subject subject)
    {
        // A property that the JSON text omits is null, despite its type; a null element fails to decode.
        if (Histograms is null || Histograms.Count != subject.Registrations.Count)
        {
            throw new FormatException("The mark does not have the histograms of the subject.");
        }

        return [.. subject.Registrations.Select((registration, i) =>
            MarkedPair.Of(HdrHistogramEncoding.Decode(Histograms[i]), registration.Histogram.GetSnapshot()))];
    }
}

/// <summary>A histogram when it was marked, and what was counted since; or, if counting restarted in between (in another process, or by a
/// reset), the present state. The mark of one release can thus be compared with the next one.</summary>
internal sealed record MarkedPair(ReadOnlyHdrHistogram Before, ReadOnlyHdrHistogram After, bool IsContinued)
{
    /// <param name="marked">The marked state, of any precision. Values outside the range of <paramref name="now"/> are left out.</param>
    /// <param name="now">The present state.</param>
    public static MarkedPair Of(ReadOnlyHdrHistogram marked, HdrHistogramSnapshot now)
    {
        PlainHdrHistogram<ulong> before = Like(now);
        before.Add(marked);

        // Both have the same layout, and no bucket of a former state has a higher count.
        Dictionary<int, ulong> counts = before.BucketsWithValues.ToDictionary(bucket => bucket.StorageIndex, bucket => bucket.Count);
        PlainHdrHistogram<ulong> after = Like(now);
        foreach (Bucket bucket in now.BucketsWithValues)
        {
            counts.Remove(bucket.StorageIndex, out ulong count);
            if (count > bucket.Count)
            {
                return new(before, now, false);
            }

            if (count < bucket.Count)
            {
                after.Record(bucket.Start + (bucket.Step / 2), bucket.Count - count);
            }
        }

        return counts.Count == 0 ? new(before, after, true) : new(before, now, false);
    }

    private static PlainHdrHistogram<ulong> Like(ReadOnlyHdrHistogram histogram) =>
        HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage().Create();
}
