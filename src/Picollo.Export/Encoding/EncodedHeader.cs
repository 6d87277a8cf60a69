using System.Buffers.Binary;

namespace Picollo.Export;

/// <summary>
/// The header of an encoded histogram, and the bucket layout that it describes.
/// </summary>
/// <remarks>
/// The formats are those of <c>AbstractHistogram</c> in HdrHistogram (Java), big-endian. V1 and V2 have a cookie, the payload length, the
/// normalizing index offset (ignored, because counts are written in the order of values), the digits, the lowest discernible and the
/// highest trackable value, and the ratio to doubles. V0 has a cookie, the digits, the lowest and the highest value and the total count;
/// the payload is the rest. A cookie consists of a base and, in bits 4 to 7, the width of a count.
/// </remarks>
internal readonly record struct EncodedHeader
{
    public const int MaxLength = 40;

    /// <summary>The length of the header of compressed data, which consists of a cookie and a length.</summary>
    public const int CompressedLength = 8;

    private const uint V2Base = 0x1c849303, V2CompressedBase = 0x1c849304;
    private const uint V1Base = 0x1c849301, V1CompressedBase = 0x1c849302;
    private const uint V0Base = 0x1c849308, V0CompressedBase = 0x1c849309;
    private const uint DoubleCookie = 0x0c72124e, DoubleCompressedCookie = 0x0c72124f;
    private const uint V2Cookie = V2Base | 0x10;

    public const uint V2CompressedCookie = V2CompressedBase | 0x10;

    /// <summary>The largest sum of the scales of the unit and the block: values up to two blocks are below 2^63.</summary>
    public const int MaxUnitAndBlockScale = 61;

    private const int V0Length = 32;
    private const int MaxDigits = 5;

    /// <summary>The number of bytes per count: 2, 4 or 8; 0 for the LEB128 numbers of V2.</summary>
    public int WordSize { get; private init; }

    /// <summary>The length of the header, in bytes.</summary>
    public int Length { get; private init; }

    /// <summary>The length of the payload, in bytes; null if it is all the remaining data.</summary>
    public int? PayloadLength { get; private init; }

    /// <summary>The number of buckets in a block, as a power of two.</summary>
    public int BlockScale { get; private init; }

    /// <summary>The width of the smallest buckets, as a power of two.</summary>
    public int UnitScale { get; private init; }

    public ulong HighestTrackableValue { get; private init; }

    /// <summary>The largest possible number of counts.</summary>
    public int CountsLength { get; private init; }

    public static bool IsCompressed(uint cookie) => BaseOf(cookie) is V2CompressedBase or V1CompressedBase or V0CompressedBase;

    /// <summary>Returns the smallest number of digits whose block size is at least this one; the largest number of digits if there is
    /// none.</summary>
    public static int DigitsOf(int blockSize)
    {
        int digits = 1;
        while (digits < MaxDigits && 1 << BlockScaleOf(digits) < blockSize)
        {
            digits++;
        }

        return digits;
    }

    /// <summary>Returns the layout of a number of digits.</summary>
    public static HdrHistogramLayout LayoutOf(int digits, int unitScale) =>
        new(0.5 / (1 << BlockScaleOf(digits)), 1UL << Math.Min(unitScale, MaxUnitAndBlockScale - BlockScaleOf(digits)));

    /// <summary>Returns the exponent of the smallest power of two that is at least 10^digits.</summary>
    public static int BlockScaleOf(int digits) => (int)Math.Ceiling(Math.Log2(Math.Pow(10, digits)));

    public static void Write(Span<byte> header, int payloadLength, int digits, long lowestDiscernibleValue, long highestTrackableValue)
    {
        BinaryPrimitives.WriteUInt32BigEndian(header, V2Cookie);
        BinaryPrimitives.WriteInt32BigEndian(header[4..], payloadLength);
        BinaryPrimitives.WriteInt32BigEndian(header[8..], 0);
        BinaryPrimitives.WriteInt32BigEndian(header[12..], digits);
        BinaryPrimitives.WriteInt64BigEndian(header[16..], lowestDiscernibleValue);
        BinaryPrimitives.WriteInt64BigEndian(header[24..], highestTrackableValue);
        BinaryPrimitives.WriteDoubleBigEndian(header[32..], 1);
    }

    /// <summary>Reads a header. Compressed data must be decompressed first.</summary>
    /// <exception cref="HdrHistogramFormatException">The data does not start with a header, or the header is invalid.</exception>
    public static EncodedHeader Read(ReadOnlySpan<byte> data)
    {
        uint cookie = ReadCookie(data);
        return BaseOf(cookie) switch
        {
            V2Base when cookie == V2Cookie => ReadV1(data, wordSize: 0),
            V1Base => ReadV1(data, WordSizeOf(cookie)),
            V0Base => ReadV0(data, WordSizeOf(cookie)),
            _ when cookie is DoubleCookie or DoubleCompressedCookie => throw new HdrHistogramFormatException(
                "A histogram of doubles (DoubleHistogram) cannot be decoded, because it has no integer buckets. Record "
                + "integers in a Histogram instead: for example, microseconds instead of fractional milliseconds",
                0),
            _ => throw NotAHistogram(cookie),
        };
    }

    /// <exception cref="HdrHistogramFormatException">The data is too short for a cookie.</exception>
    public static uint ReadCookie(ReadOnlySpan<byte> data) =>
        BinaryPrimitives.TryReadUInt32BigEndian(data, out uint cookie) ? cookie : throw Truncated(data.Length);

    public static HdrHistogramFormatException Truncated(long offset) => new("The encoded histogram is truncated", offset);

    /// <summary>Creates the exception for data that does not start with a cookie, and describes what it is if the first bytes are
    /// known.</summary>
    private static HdrHistogramFormatException NotAHistogram(uint cookie)
    {
        const uint Base64OfCookies = 0x48495354; // HIST
        const uint GzipMagic = 0x1f8b;
        Span<byte> first = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(first, cookie);
        string seen = cookie == Base64OfCookies
            ? "it is base64 text; decode it with Convert.FromBase64String first, or read a log with HdrHistogramLogReader"
            : cookie >> 16 == GzipMagic
            ? "it is gzip data; decompress it first"
            : first.ContainsAnyExceptInRange((byte)' ', (byte)'~')
            ? $"its cookie is 0x{cookie:x8}"
            : $"it is text, \"{Encoding.ASCII.GetString(first)}\"; read a log with HdrHistogramLogReader";
        return new($"This is not an encoded histogram: {seen}", 0);
    }

    private static EncodedHeader ReadV1(ReadOnlySpan<byte> data, int wordSize)
    {
        if (data.Length < MaxLength)
        {
            throw Truncated(data.Length);
        }

        int payloadLength = BinaryPrimitives.ReadInt32BigEndian(data[4..]);
        return payloadLength < 0
            ? throw new HdrHistogramFormatException($"The payload length is {payloadLength}; it must not be negative", 4)
            : Read(data, digitsAt: 12) with { WordSize = wordSize, Length = MaxLength, PayloadLength = payloadLength };
    }

    private static EncodedHeader ReadV0(ReadOnlySpan<byte> data, int wordSize) => data.Length < V0Length
        ? throw Truncated(data.Length)
        : Read(data, digitsAt: 4) with { WordSize = wordSize, Length = V0Length };

    /// <summary>Reads the digits and the lowest and highest value, which are adjacent, and derives the layout.</summary>
    private static EncodedHeader Read(ReadOnlySpan<byte> data, int digitsAt)
    {
        int digits = BinaryPrimitives.ReadInt32BigEndian(data[digitsAt..]);
        long lowest = BinaryPrimitives.ReadInt64BigEndian(data[(digitsAt + 4)..]);
        ulong highest = BinaryPrimitives.ReadUInt64BigEndian(data[(digitsAt + 12)..]); // the Rust library can write values above 2^63-1
        if (digits is < 0 or > MaxDigits)
        {
            throw new HdrHistogramFormatException($"The number of significant digits is {digits}; it must be 0 to {MaxDigits}", digitsAt);
        }

        if (lowest < 1)
        {
            throw new HdrHistogramFormatException($"The lowest discernible value is {lowest}; it must be at least 1", digitsAt + 4);
        }

        int unitScale = (int)long.Log2(lowest);
        int blockScale = BlockScaleOf(digits);
        if (unitScale + blockScale > MaxUnitAndBlockScale)
        {
            throw new HdrHistogramFormatException(
                $"The lowest discernible value {lowest} leaves no room for {digits} significant digits", digitsAt + 4);
        }

        if (highest / 2 < (ulong)lowest)
        {
            throw new HdrHistogramFormatException(
                $"The highest trackable value {highest} must be at least twice the lowest discernible value {lowest}", digitsAt + 12);
        }

        // Blocks 0 and 1 together end at 2 << blockScale units, and each further block doubles the end. The last holds the highest value.
        int blocks = 2 + Math.Max((int)ulong.Log2(highest) - blockScale - unitScale, 0);
        return new EncodedHeader
        {
            BlockScale = blockScale,
            UnitScale = unitScale,
            HighestTrackableValue = highest,
            CountsLength = blocks << blockScale,
        };
    }

    private static uint BaseOf(uint cookie) => cookie & ~0xf0u;

    private static int WordSizeOf(uint cookie) =>
        ((cookie >> 4) & 0xe) is (2 or 4 or 8) and var size ? (int)size : throw NotAHistogram(cookie);
}
