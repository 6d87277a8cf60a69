using System.Buffers.Binary;
using System.IO.Compression;
using Picollo.AspNetCore.Reading;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>The histograms of a row at a moment, in the compressed V2 encoding. The browser stores the mark and sends it back; the server
/// does not store it.</summary>
internal sealed record ComparisonMark(DateTimeOffset Time, IReadOnlyList<byte[]> Histograms)
{
    /// <summary>Creates a mark of the current state.</summary>
    /// <exception cref="ArgumentException">A histogram has values that the encoding cannot represent.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public static ComparisonMark Create(PageRow row, DateTimeOffset now) =>
        new(now, [.. row.Registrations.Select(registration => HdrHistogramEncoding.EncodeCompressed(registration.Histogram))]);

    /// <summary>Pairs the histograms of the mark with the current ones.</summary>
    /// <exception cref="FormatException">The mark is invalid, or belongs to another row.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public IReadOnlyList<MarkedPair> Compare(PageRow row)
    {
        // Despite their types, properties and elements can be null if the JSON text omits them.
        if (Histograms is null || Histograms.Count != row.Registrations.Count)
        {
            throw new FormatException("The mark's histograms do not match those of the row.");
        }

        return [.. row.Registrations.Select((registration, i) =>
        {
            HdrHistogramSnapshot now = registration.Histogram.GetSnapshot();
            return MarkedPair.Create(Decode(Histograms[i] ?? [], now), now);
        })];
    }

    /// <summary>Decodes a histogram that has the layout of the current one. A client can forge a header with another layout of up to 50 MB.
    /// Such a header is rejected before memory is allocated.</summary>
    private static PlainHdrHistogram<ulong> Decode(byte[] encoded, HdrHistogramSnapshot now)
    {
        byte[] empty = HdrHistogramEncoding.EncodeCompressed(MarkedPair.EmptyLike(now));
        Bucket last = now.GetBucket(now.MaxTrackableValue);
        ulong largest = Math.Max(last.Start + last.Step - 1, 2 * now.LowestDiscernibleValue); // the smallest value that the format allows
        (string layout, ulong highest) = ReadHeader(encoded);
        return layout == ReadHeader(empty).Layout && highest <= largest
            ? HdrHistogramEncoding.Decode(encoded)
            : throw new FormatException("The layout of the mark's histogram differs from the current one.");
    }

    /// <summary>Reads the fields of the compressed V2 format that describe the layout (both cookies, digits and lowest value), and the
    /// highest value.</summary>
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

/// <summary>A histogram at the time of the mark, and the values recorded since then. If counting restarted in between (in another process,
/// or after a reset), the second histogram is the current state, so that a mark of one release can be compared with the next
/// release.</summary>
internal sealed record MarkedPair(ReadOnlyHdrHistogram Before, ReadOnlyHdrHistogram After, bool IsContinued)
{
    /// <summary>The mark has any precision. Its values outside the range of <paramref name="now"/> are excluded.</summary>
    public static MarkedPair Create(ReadOnlyHdrHistogram marked, HdrHistogramSnapshot now)
    {
        PlainHdrHistogram<ulong> before = EmptyLike(now);
        before.Add(marked);

        // Both have the same layout. If counting has not restarted, no bucket of the earlier state has a higher count.
        Dictionary<int, ulong> counts = before.BucketsWithValues.ToDictionary(bucket => bucket.StorageIndex, bucket => bucket.Count);
        PlainHdrHistogram<ulong> after = EmptyLike(now);
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

    public static PlainHdrHistogram<ulong> EmptyLike(ReadOnlyHdrHistogram histogram) =>
        HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage().Create();
}
