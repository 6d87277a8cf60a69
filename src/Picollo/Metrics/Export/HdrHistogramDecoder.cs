using System.Buffers.Binary;
using System.IO.Compression;

namespace Picollo.Metrics.Export;

/// <summary>Reads histograms of the HdrHistogram family; the work behind <see cref="HdrHistogramEncoding"/>.</summary>
/// <remarks>Nothing that the data says is believed before it is checked: lengths are compared with what there is, the counts with the
/// layout, and all the memory taken is the histogram that the header describes and buffers of constant size.</remarks>
internal static class HdrHistogramDecoder
{
    public static PlainHdrHistogram<ulong> Decode(ReadOnlySpan<byte> data)
    {
        uint cookie = EncodedHeader.ReadCookie(data);
        if (!EncodedHeader.IsCompressed(cookie))
        {
            EncodedHeader header = EncodedHeader.Read(data);
            var payload = new EncodedBytes(Cut(data[header.Length..], header.PayloadLength, header.Length), header.Length);
            return Decode(header, ref payload);
        }

        const int HeaderLength = 8;
        if (data.Length < HeaderLength)
        {
            throw EncodedHeader.Truncated(data.Length);
        }

        int compressedLength = BinaryPrimitives.ReadInt32BigEndian(data[4..]);
        if (compressedLength < 0)
        {
            throw new HdrHistogramFormatException($"The compressed length is {compressedLength}", 4);
        }

        return Inflate(Cut(data[HeaderLength..], compressedLength, HeaderLength));
    }

    private static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> data, int? length, int offset) =>
        length is not { } known ? data
        : known <= data.Length ? data[..known]
        : throw EncodedHeader.Truncated(offset + data.Length);

    private static unsafe PlainHdrHistogram<ulong> Inflate(ReadOnlySpan<byte> compressed)
    {
        fixed (byte* start = compressed)
        {
            using var source = new UnmanagedMemoryStream(start, compressed.Length);
            using var inflated = new ZLibStream(source, CompressionMode.Decompress);
            try
            {
                Span<byte> headerBytes = stackalloc byte[EncodedHeader.MaxLength];
                int length = inflated.ReadAtLeast(headerBytes, headerBytes.Length, throwOnEndOfStream: false);
                EncodedHeader header = EncodedHeader.Read(headerBytes[..length]);
                Span<byte> buffer = stackalloc byte[EncodedBytes.BufferLength];
                var payload = new EncodedBytes(inflated, buffer, headerBytes[header.Length..length], header);
                return Decode(header, ref payload);
            }
            catch (InvalidDataException e)
            {
                throw new HdrHistogramFormatException("The compressed data is damaged", source.Position, inner: e);
            }
        }
    }

    private static PlainHdrHistogram<ulong> Decode(in EncodedHeader header, ref EncodedBytes payload)
    {
        PlainHdrHistogram<ulong> histogram = Create(header, (ulong)header.HighestTrackableValue);
        bool sameBuckets = header.UnitScale == 0 && histogram.BlockSize == 1 << header.BlockScale;
        ulong total = 0;
        long index = 0;
        while (payload.TryRead(header.WordSize, out long number))
        {
            if (number < 0)
            {
                // A run of zeros, or of a word that is negative where no number can be.
                index = header.WordSize == 0 && number >= -int.MaxValue
                    ? index - number
                    : throw new HdrHistogramFormatException($"A count of {number}", payload.Offset);
            }
            else if (number == 0)
            {
                index++;
            }
            else
            {
                if (index >= header.CountsLength)
                {
                    throw TooMany(header, payload.Offset);
                }

                total += (ulong)number;
                if (total > long.MaxValue)
                {
                    throw new HdrHistogramFormatException("The counts add up to more than 2^63-1", payload.Offset);
                }

                if (sameBuckets && index < histogram.Length)
                {
                    histogram.SetCount((int)index, (ulong)number);
                }
                else
                {
                    ulong median = MedianOf(header, index);
                    if (histogram.Layout.IndexOf(median) >= histogram.Length)
                    {
                        histogram = Widen(header, histogram);
                    }

                    histogram.Record(median, (ulong)number);
                }

                index++;
            }

            if (index > header.CountsLength)
            {
                throw TooMany(header, payload.Offset);
            }
        }

        return histogram;
    }

    private static PlainHdrHistogram<ulong> Create(in EncodedHeader header, ulong maxTrackableValue)
    {
        double relativeError = Math.Min(0.5 / (1 << header.BlockScale), HdrLayout.MaxRelativeError);
        return new(HdrHistogramSettings.Default.WithRelativeError(relativeError) with { MaxTrackableValue = maxTrackableValue });
    }

    /// <summary>The family counts a value above the highest trackable one as long as its last block goes on.</summary>
    private static PlainHdrHistogram<ulong> Widen(in EncodedHeader header, PlainHdrHistogram<ulong> histogram)
    {
        PlainHdrHistogram<ulong> wider = Create(header, MedianOf(header, header.CountsLength - 1));
        wider.Add(histogram);
        return wider;
    }

    private static HdrHistogramFormatException TooMany(in EncodedHeader header, long offset) =>
        new($"More counts than the {header.CountsLength} that the header leaves room for", offset);

    /// <summary>The middle of a bucket of theirs, as the family takes it.</summary>
    private static ulong MedianOf(in EncodedHeader header, long index)
    {
        int scale = Math.Max((int)(index >> header.BlockScale) - 1, 0);
        ulong start = (ulong)(index - ((long)scale << header.BlockScale)) << scale << header.UnitScale;
        return start + ((1UL << (scale + header.UnitScale)) >> 1);
    }
}
