using System.Buffers.Binary;
using System.IO.Compression;

namespace Picollo.Export;

/// <summary>Decodes histograms of the HdrHistogram libraries; implements <see cref="HdrHistogramEncoding"/>.</summary>
/// <remarks>All data is checked before it is used: lengths against the available data, and counts against the layout. The decoder allocates
/// the histogram that the header describes, a second one if the data counts values above the highest trackable value, and buffers of
/// constant size. A run of zeros in a few bytes can reach a page of 2 MB. If the histogram could be large compared with the data, all data
/// is therefore decoded once without a histogram, so that damaged data takes little memory.</remarks>
internal static class HdrHistogramDecoder
{
    // Decoding twice takes less time than allocating a histogram beyond these limits. No layout of 3 digits exceeds the first one.
    private const long MaxUncheckedBytes = 1 << 20, MaxUncheckedBytesPerByte = 64;

    public static PlainHdrHistogram<ulong> Decode(ReadOnlySpan<byte> data) =>
        Decode(data, Math.Max(MaxUncheckedBytes, data.Length * MaxUncheckedBytesPerByte)) ?? Decode(data, long.MaxValue)!;

    /// <summary>Decodes a histogram, or only checks the data and returns null if the histogram could need more than
    /// <paramref name="maxBytes"/>.</summary>
    private static PlainHdrHistogram<ulong>? Decode(ReadOnlySpan<byte> data, long maxBytes)
    {
        uint cookie = EncodedHeader.ReadCookie(data);
        if (!EncodedHeader.IsCompressed(cookie))
        {
            EncodedHeader header = EncodedHeader.Read(data);
            var payload = new EncodedBytes(PayloadOf(data, header), header.Length);
            return Decode(header, ref payload, maxBytes);
        }

        if (data.Length < EncodedHeader.CompressedLength)
        {
            throw EncodedHeader.Truncated(data.Length);
        }

        int compressedLength = BinaryPrimitives.ReadInt32BigEndian(data[4..]);
        if (compressedLength < 0)
        {
            throw new HdrHistogramFormatException($"The compressed length is {compressedLength}; it must not be negative", 4);
        }

        ReadOnlySpan<byte> compressed = Cut(data[EncodedHeader.CompressedLength..], compressedLength, EncodedHeader.CompressedLength);
        return compressed.IsEmpty ? throw EncodedHeader.Truncated(EncodedHeader.CompressedLength) : Inflate(compressed, maxBytes);
    }

    private static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> data, int length, int offset) =>
        length <= data.Length ? data[..length] : throw EncodedHeader.Truncated(offset + data.Length);

    /// <summary>Returns the bytes of the counts. The header gives their length; in V0, it is limited by the largest possible number of
    /// counts.</summary>
    private static ReadOnlySpan<byte> PayloadOf(ReadOnlySpan<byte> data, in EncodedHeader header)
    {
        data = data[header.Length..];
        return Cut(data, header.PayloadLength ?? (int)Math.Min(data.Length, (long)header.CountsLength * header.WordSize), header.Length);
    }

    private static PlainHdrHistogram<ulong>? Inflate(ReadOnlySpan<byte> compressed, long maxBytes)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(EncodedBytes.BufferLength);
        try
        {
            return Inflate(compressed, buffer.AsSpan(0, EncodedBytes.BufferLength), maxBytes);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static unsafe PlainHdrHistogram<ulong>? Inflate(ReadOnlySpan<byte> compressed, Span<byte> buffer, long maxBytes)
    {
        fixed (byte* start = compressed)
        {
            using var source = new CompressedSource(start, compressed.Length);
            using var inflated = new ZLibStream(source, CompressionMode.Decompress);
            try
            {
                // The header and the counts are read together. zlib is slow near the end of its output buffer, and most histograms fit into
                // this one.
                int length = inflated.ReadAtLeast(buffer, buffer.Length, throwOnEndOfStream: false);
                EncodedHeader header = EncodedHeader.Read(buffer[..length]);
                var payload = new EncodedBytes(inflated, buffer, buffer[header.Length..length], header);
                PlainHdrHistogram<ulong>? histogram = Decode(header, ref payload, maxBytes);

                // Reading to the end also verifies the checksum. HdrHistogram.NET writes none, and the other libraries accept that.
                return payload.HasMore || inflated.ReadByte() >= 0
                    ? throw new HdrHistogramFormatException("The compressed data continues after the histogram", payload.Offset)
                    : source.IsExceeded && !EndsWithDeflate(start, compressed.Length)
                    ? throw new HdrHistogramFormatException(
                        "The compressed data is truncated in its checksum", EncodedHeader.CompressedLength)
                    : histogram;
            }
            catch (Exception e) when (e is InvalidDataException or IOException)
            {
                // IOException: errors for which zlib has no specific code, such as a required dictionary. zlib does not report the
                // position.
                throw new HdrHistogramFormatException("The compressed data is damaged", EncodedHeader.CompressedLength, inner: e);
            }
        }
    }

    /// <summary>Returns <see langword="true"/> if the last byte ends the deflate data, so that no part of a checksum follows it.</summary>
    private static unsafe bool EndsWithDeflate(byte* compressed, int length)
    {
        const int ZLibHeaderLength = 2;
        using var source = new CompressedSource(compressed + ZLibHeaderLength, length - ZLibHeaderLength) { SplitsLastByte = true };
        using var inflated = new DeflateStream(source, CompressionMode.Decompress);
        Span<byte> ignored = stackalloc byte[4096];
        while (inflated.Read(ignored) > 0)
        {
            // CopyTo would read the source to the end.
        }

        return !source.IsExceeded && source.Position == source.Length;
    }

    private static PlainHdrHistogram<ulong>? Decode(in EncodedHeader header, ref EncodedBytes payload, long maxBytes)
    {
        using DecodedCounts? decoded = (long)header.CountsLength * sizeof(ulong) > maxBytes ? null : new(header);
        Span<ulong> counters = []; // the piece that contains the last count written
        long first = 0; // the index of counters[0]
        ulong total = 0;
        long index = 0;
        for (int limit = payload.Peek(out ReadOnlySpan<byte> bytes); !bytes.IsEmpty; limit = payload.Peek(out bytes))
        {
            int position = 0;
            while (true)
            {
                if (header.WordSize == 0)
                {
                    long place = index - first;
                    position += DecodeShort(bytes[position..], counters, ref place, ref total);
                    index = first + place;
                }

                if (position >= limit)
                {
                    break;
                }

                int length = ReadNumber(bytes[position..], header.WordSize, out long number);
                if (length == 0)
                {
                    throw EncodedHeader.Truncated(payload.Offset + bytes.Length);
                }

                if (number > 0)
                {
                    if (index >= header.CountsLength)
                    {
                        throw TooMany(header, payload.Offset + position);
                    }

                    total += (ulong)number;
                    if (total < (ulong)number)
                    {
                        throw new HdrHistogramFormatException("The counts add up to 2^64 or more", payload.Offset + position);
                    }

                    if (decoded is not null)
                    {
                        if (index - first >= counters.Length)
                        {
                            counters = decoded.StartPiece((int)index);
                            first = index;
                        }

                        counters[(int)(index - first)] = (ulong)number;
                    }

                    index++;
                }
                else
                {
                    index += ZerosOf(number, header.WordSize, payload.Offset + position);
                    if (index > header.CountsLength)
                    {
                        throw TooMany(header, payload.Offset + position);
                    }
                }

                position += length;
            }

            payload.Take(position);
        }

        decoded?.EndPiece(index);
        return decoded?.Histogram;
    }

    /// <summary>Decodes short ZigZag numbers. Stops at the first number that is longer, truncated, or outside
    /// <paramref name="counts"/>. Returns the number of bytes decoded.</summary>
    /// <remarks>This is a separate method because its few variables remain in registers, which takes a quarter of the time.</remarks>
    private static int DecodeShort(ReadOnlySpan<byte> bytes, Span<ulong> counts, ref long index, ref ulong total)
    {
        // Each count is below 2^34, and 2^31 bytes hold fewer than 2^29 counts. Added to a total of at most 2^63, they cannot exceed 2^64.
        const int MaxLength = 5;
        if (total > long.MaxValue || index > counts.Length)
        {
            return 0;
        }

        ulong sum = total;
        int next = (int)index;
        int position = 0;
        while ((uint)position < (uint)bytes.Length)
        {
            ulong bits = bytes[position];
            int end = position + 1;
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
                    int length = ZigZag.Read(bytes[position..], out long number);
                    if (length is 0 or > MaxLength || number < 0)
                    {
                        break;
                    }

                    bits = (ulong)number << 1;
                    end = position + length;
                }
            }

            ulong half = bits >> 1;
            if ((bits & 1) != 0)
            {
                // Odd numbers are negative and encode a run of half + 1 zeros.
                if (half >= (ulong)(counts.Length - next))
                {
                    break;
                }

                next += (int)half + 1;
            }
            else
            {
                // This is a count. The 0 of a single zero needs no branch, because adding and storing it as a count has no effect.
                if ((uint)next >= (uint)counts.Length)
                {
                    break;
                }

                counts[next++] = half;
                sum += half;
            }

            position = end;
        }

        (index, total) = (next, sum);
        return position;
    }

    /// <summary>Reads the number at the start of a span. Returns its length in bytes; 0 if the span ends before the number does.</summary>
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

    /// <summary>Returns the number of empty buckets that a number encodes. A 0 encodes one; in ZigZag, a negative number encodes a
    /// run.</summary>
    private static long ZerosOf(long number, int wordSize, long offset) => number switch
    {
        0 => 1,
        >= -int.MaxValue when wordSize == 0 => -number,
        _ => throw new HdrHistogramFormatException($"The count {number} is out of range", offset),
    };

    private static HdrHistogramFormatException TooMany(in EncodedHeader header, long offset) =>
        new($"The data has more counts than the {header.CountsLength} that the header allows", offset);

    /// <summary>Compressed data that records whether more bytes were requested than exist. <see cref="ZLibStream"/> does not report it if
    /// only the checksum is missing.</summary>
    private sealed unsafe class CompressedSource(byte* start, long length) : UnmanagedMemoryStream(start, length)
    {
        public bool IsExceeded { get; private set; }

        /// <summary>Whether the last byte is returned by a separate read, so that <see cref="Stream.Position"/> shows whether it was
        /// needed.</summary>
        public bool SplitsLastByte { get; init; }

        /// <summary>All reads use this overload, because the base class forwards reads into a span to it.</summary>
        public override int Read(byte[] buffer, int offset, int count)
        {
            int butLast = (int)(Length - 1 - Position);
            int read = base.Read(buffer, offset, SplitsLastByte && butLast > 0 ? Math.Min(count, butLast) : count);
            IsExceeded |= read == 0;
            return read;
        }
    }
}
