using System.Buffers.Binary;
using System.IO.Compression;
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
        // A property that the JSON text omits is null, despite its type; so can an element be.
        if (Histograms is null || Histograms.Count != subject.Registrations.Count)
        {
            throw new FormatException("The mark does not have the histograms of the subject.");
        }

        return [.. subject.Registrations.Select((registration, i) =>
        {
            HdrHistogramSnapshot now = registration.Histogram.GetSnapshot();
            return MarkedPair.Of(Decode(Histograms[i] ?? [], now), now);
        })];
    }

    /// <summary>Decodes a histogram with the layout of the present one. The header of another layout, which a client can forge, describes
    /// up to 50 MB; it is rejected before they are allocated.</summary>
    private static PlainHdrHistogram<ulong> Decode(byte[] encoded, HdrHistogramSnapshot now)
    {
        byte[] empty = HdrHistogramEncoding.EncodeCompressed(MarkedPair.Like(now));
        Bucket last = now.GetBucket(now.MaxTrackableValue);
        ulong largest = Math.Max(last.Start + last.Step - 1, 2 * now.LowestDiscernibleValue); // The format has no smaller one.
        (string layout, ulong highest) = ReadHeader(encoded);
        return layout == ReadHeader(empty).Layout && highest <= largest
            ? HdrHistogramEncoding.Decode(encoded)
            : throw new FormatException("The mark has another layout than the subject.");
    }

    /// <summary>Reads what describes the layout in the compressed V2 format: both cookies, digits and lowest value; and the highest
    /// value.</summary>
    private static (string Layout, ulong Highest) ReadHeader(byte[] encoded)
    {
        const int Cookie = 4, CompressedHeader = 8, Digits = 12, Highest = 24, Header = 40;
        byte[] header = new byte[Header];
        try
        {
            using MemoryStream source = new(encoded);
            source.Seek(CompressedHeader, SeekOrigin.Begin);
            using ZLibStream inflated = new(source, CompressionMode.Decompress);
            inflated.ReadExactly(header);
        }
        catch (Exception e) when (e is InvalidDataException or IOException)
        {
            throw new FormatException("The mark is damaged.", e);
        }

        string layout = Convert.ToHexString([.. encoded[..Cookie], .. header[..Cookie], .. header[Digits..Highest]]);
        return (layout, BinaryPrimitives.ReadUInt64BigEndian(header.AsSpan(Highest)));
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

    /// <summary>An empty histogram with the layout of another.</summary>
    public static PlainHdrHistogram<ulong> Like(ReadOnlyHdrHistogram histogram) =>
        HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage().Create();
}
