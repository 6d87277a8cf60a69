using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;
using System.Runtime.CompilerServices;

namespace Picollo.Export;

/// <summary>Reads histograms of the HdrHistogram family; the work behind <see cref="HdrHistogramEncoding"/>.</summary>
/// <remarks>Nothing that the data says is believed before it is checked: lengths are compared with what there is, the counts with the
/// layout, and all the memory taken is the histogram that the header describes, once more where it counts values beyond its own highest
/// trackable one, and buffers of constant size.</remarks>
internal static class HdrHistogramDecoder
{
    public static PlainHdrHistogram<ulong> Decode(ReadOnlySpan<byte> data)
    {
        uint cookie = EncodedHeader.ReadCookie(data);
        if (!EncodedHeader.IsCompressed(cookie))
        {
            EncodedHeader header = EncodedHeader.Read(data);
            var payload = new EncodedBytes(PayloadOf(data, header), header.Length);
            return Decode(header, ref payload);
        }

        if (data.Length < EncodedHeader.CompressedLength)
        {
            throw EncodedHeader.Truncated(data.Length);
        }

        int compressedLength = BinaryPrimitives.ReadInt32BigEndian(data[4..]);
        if (compressedLength < 0)
        {
            throw new HdrHistogramFormatException($"The compressed length is {compressedLength}", 4);
        }

        ReadOnlySpan<byte> compressed = Cut(data[EncodedHeader.CompressedLength..], compressedLength, EncodedHeader.CompressedLength);
        return compressed.IsEmpty ? throw EncodedHeader.Truncated(EncodedHeader.CompressedLength) : Inflate(compressed);
    }

    private static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> data, int length, int offset) =>
        length <= data.Length ? data[..length] : throw EncodedHeader.Truncated(offset + data.Length);

    /// <summary>What there is of the counts, in memory: as long as the header says, or, in V0, at most as long as there can be
    /// counts.</summary>
    private static ReadOnlySpan<byte> PayloadOf(ReadOnlySpan<byte> data, in EncodedHeader header)
    {
        data = data[header.Length..];
        return Cut(data, header.PayloadLength ?? (int)Math.Min(data.Length, (long)header.CountsLength * header.WordSize), header.Length);
    }

    private static PlainHdrHistogram<ulong> Inflate(ReadOnlySpan<byte> compressed)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(EncodedBytes.BufferLength);
        try
        {
            return Inflate(compressed, buffer.AsSpan(0, EncodedBytes.BufferLength));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static unsafe PlainHdrHistogram<ulong> Inflate(ReadOnlySpan<byte> compressed, Span<byte> buffer)
    {
        fixed (byte* start = compressed)
        {
            using var source = new CompressedSource(start, compressed.Length);
            using var inflated = new ZLibStream(source, CompressionMode.Decompress);
            try
            {
                // The header and the counts are read together. zlib is slow near the end of the space that it is given, and most histograms
                // fit into the buffer.
                int length = inflated.ReadAtLeast(buffer, buffer.Length, throwOnEndOfStream: false);
                EncodedHeader header = EncodedHeader.Read(buffer[..length]);
                var payload = new EncodedBytes(inflated, buffer, buffer[header.Length..length], header);
                PlainHdrHistogram<ulong> histogram = Decode(header, ref payload);

                // Reading its end also compares the checksum. HdrHistogram.NET writes none, and the family's libraries accept that.
                return payload.HasMore || inflated.ReadByte() >= 0
                    ? throw new HdrHistogramFormatException("The compressed data goes on after the histogram", payload.Offset)
                    : source.IsExceeded && !EndsWithDeflate(start, compressed.Length)
                    ? throw new HdrHistogramFormatException(
                        "The compressed data is cut off in its checksum", EncodedHeader.CompressedLength)
                    : histogram;
            }
            catch (Exception e) when (e is InvalidDataException or IOException)
            {
                // IOException: what zlib has no error of its own for, such as a dictionary that is asked for. Where in the data, it does
                // not say.
                throw new HdrHistogramFormatException("The compressed data is damaged", EncodedHeader.CompressedLength, inner: e);
            }
        }
    }

    /// <summary>Whether the last byte is the one that ends the deflate data, so that no part of a checksum follows it.</summary>
    private static unsafe bool EndsWithDeflate(byte* compressed, int length)
    {
        const int ZLibHeaderLength = 2;
        using var source = new CompressedSource(compressed + ZLibHeaderLength, length - ZLibHeaderLength) { GivesLastByteAlone = true };
        using var inflated = new DeflateStream(source, CompressionMode.Decompress);
        Span<byte> ignored = stackalloc byte[4096];
        while (inflated.Read(ignored) > 0)
        {
            // CopyTo would read the source to its end.
        }

        return !source.IsExceeded && source.Position == source.Length;
    }

    private static PlainHdrHistogram<ulong> Decode(in EncodedHeader header, ref EncodedBytes payload)
    {
        PlainHdrHistogram<ulong> histogram = Create(header, header.HighestTrackableValue);
        Span<ulong> counters = []; // the rest of the page in which the last count was written
        long first = 0; // their first index
        ulong total = 0;
        long index = 0;
        for (int limit = payload.Peek(out ReadOnlySpan<byte> bytes); !bytes.IsEmpty; limit = payload.Peek(out bytes))
        {
            int at = 0;
            while (true)
            {
                if (header.WordSize == 0)
                {
                    long place = index - first;
                    at += DecodeShort(bytes[at..], counters, ref place, ref total);
                    index = first + place;
                }

                if (at >= limit)
                {
                    break;
                }

                int length = ReadNumber(bytes[at..], header.WordSize, out long number);
                if (length == 0)
                {
                    throw EncodedHeader.Truncated(payload.Offset + bytes.Length);
                }

                if (number > 0)
                {
                    if (index >= header.CountsLength)
                    {
                        throw TooMany(header, payload.Offset + at);
                    }

                    total += (ulong)number;
                    if (total < (ulong)number)
                    {
                        throw new HdrHistogramFormatException("The counts add up to 2^64 or more", payload.Offset + at);
                    }

                    if (index >= histogram.Length)
                    {
                        histogram = Widen(header, histogram);
                    }

                    counters = histogram.UnsharedCountersFrom((int)index);
                    counters[0] = (ulong)number;
                    first = index++;
                }
                else
                {
                    index += ZerosOf(number, header.WordSize, payload.Offset + at);
                    if (index > header.CountsLength)
                    {
                        throw TooMany(header, payload.Offset + at);
                    }
                }

                at += length;
            }

            payload.Take(at);
        }

        if (histogram.RelativeError <= HdrLayout.MaxRelativeError)
        {
            return histogram;
        }

        // Of 0 digits there are no histograms; those of 1 are finer.
        PlainHdrHistogram<ulong> digit = new(HdrHistogramSettings.Of(histogram) with
        {
            RelativeError = HdrHistogramSettings.RelativeErrorOf(1),
            MaxTrackableValue = histogram.UnsharedCountersFrom(histogram.Length - 1)[0] == 0
                ? histogram.MaxTrackableValue
                : histogram.Layout.UpperBoundOf(histogram.MaxTrackableValue),
            UnitScale = Math.Min(header.UnitScale, HdrLayout.MaxUnitAndBlockScale - EncodedHeader.BlockScaleOf(1)),
        });
        digit.Add(histogram);
        return digit;
    }

    /// <summary>Decodes ZigZag numbers of a few bytes up to the first that is longer, is cut off, or leads past
    /// <paramref name="counts"/>.</summary>
    /// <returns>The number of bytes decoded.</returns>
    /// <remarks>A method of its own with few variables, which stay in registers: a quarter of the time.</remarks>
    private static int DecodeShort(ReadOnlySpan<byte> bytes, Span<ulong> counts, ref long index, ref ulong total)
    {
        // Counts below 2^34, of which 2^31 bytes hold fewer than 2^29, cannot take a sum of at most 2^63 past 2^64.
        const int MaxLength = 5;
        if (total > long.MaxValue || index > counts.Length)
        {
            return 0;
        }

        ulong sum = total;
        int next = (int)index;
        int at = 0;
        while ((uint)at < (uint)bytes.Length)
        {
            ulong bits = bytes[at];
            int end = at + 1;
            if (bits >= 0x80)
            {
                if ((uint)end >= (uint)bytes.Length)
                {
                    break;
                }

                ulong second = bytes[end++];
                bits = (bits & 0x7f) | (second << 7);
                if (second >= 0x80)
                {
                    int length = ZigZag.Read(bytes[at..], out long number);
                    if (length is 0 or > MaxLength || number < 0)
                    {
                        break;
                    }

                    bits = (ulong)number << 1;
                    end = at + length;
                }
            }

            ulong half = bits >> 1;
            if ((bits & 1) != 0)
            {
                // Odd numbers are negative: a run of half + 1 zeros.
                if (half >= (ulong)(counts.Length - next))
                {
                    break;
                }

                next += (int)half + 1;
            }
            else
            {
                // A count. The 0 of a single zero needs no branch: it is added and written as a count.
                if ((uint)next >= (uint)counts.Length)
                {
                    break;
                }

                counts[next++] = half;
                sum += half;
            }

            at = end;
        }

        (index, total) = (next, sum);
        return at;
    }

    /// <summary>The bytes of the number at the begin of a span; 0 where the span ends before it does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int ReadNumber(ReadOnlySpan<byte> bytes, int wordSize, out long number) =>
        wordSize == 0 ? ZigZag.Read(bytes, out number) : ReadWord(bytes, wordSize, out number);

    private static int ReadWord(ReadOnlySpan<byte> bytes, int wordSize, out long number)
    {
        number = 0;
        if (bytes.Length < wordSize)
        {
            return 0;
        }

        number = wordSize switch
        {
            2 => BinaryPrimitives.ReadInt16BigEndian(bytes),
            4 => BinaryPrimitives.ReadInt32BigEndian(bytes),
            _ => BinaryPrimitives.ReadInt64BigEndian(bytes),
        };
        return wordSize;
    }

    /// <summary>How many buckets without a count a number stands for: one as a 0, more, in ZigZag alone, as their negative
    /// number.</summary>
    private static long ZerosOf(long number, int wordSize, long offset) => number switch
    {
        0 => 1,
        >= -int.MaxValue when wordSize == 0 => -number,
        _ => throw new HdrHistogramFormatException($"A count of {number}", offset),
    };

    private static PlainHdrHistogram<ulong> Create(in EncodedHeader header, ulong maxTrackableValue) => new(new HdrHistogramSettings
    {
        RelativeError = 0.5 / (1 << header.BlockScale),
        UnitScale = header.UnitScale,
        MaxTrackableValue = maxTrackableValue,
    });

    /// <summary>A copy of a histogram up to the end of its last block: the family counts a value above the highest trackable one
    /// there.</summary>
    private static PlainHdrHistogram<ulong> Widen(in EncodedHeader header, PlainHdrHistogram<ulong> histogram)
    {
        uint last = histogram.FirstIndex + (uint)header.CountsLength - 1;
        PlainHdrHistogram<ulong> wider = Create(header, histogram.Layout.StartOf(last));
        wider.Add(histogram);
        return wider;
    }

    private static HdrHistogramFormatException TooMany(in EncodedHeader header, long offset) =>
        new($"More counts than the {header.CountsLength} that the header leaves room for", offset);

    /// <summary>Compressed data that notices when more is wanted of it than there is, of which <see cref="ZLibStream"/> says nothing where
    /// only the checksum lacks.</summary>
    private sealed unsafe class CompressedSource(byte* start, long length) : UnmanagedMemoryStream(start, length)
    {
        public bool IsExceeded { get; private set; }

        /// <summary>Whether the last byte is read by itself, so that <see cref="Stream.Position"/> shows whether it was needed.</summary>
        public bool GivesLastByteAlone { get; init; }

        /// <summary>The way of all reads: the base class passes those into a span on to it.</summary>
        public override int Read(byte[] buffer, int offset, int count)
        {
            int butLast = (int)(Length - 1 - Position);
            int read = base.Read(buffer, offset, GivesLastByteAlone && butLast > 0 ? Math.Min(count, butLast) : count);
            IsExceeded |= read == 0;
            return read;
        }
    }
}
