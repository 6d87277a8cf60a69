using System.Buffers.Binary;
using System.IO.Compression;

namespace Picollo.Export.Tests;

/// <summary>Builds encoded histograms byte by byte in the formats of the HdrHistogram libraries, including invalid ones.</summary>
internal static class RawEncoding
{
    public const uint V2 = 0x1c849313, V2Compressed = 0x1c849314;
    public const uint V1Base = 0x1c849301, V1CompressedBase = 0x1c849302;
    public const uint V0Base = 0x1c849308, V0CompressedBase = 0x1c849309;

    public static uint CookieOf(uint @base, int wordSize) => @base | ((uint)wordSize << 4);

    /// <summary>Returns V2 data with numbers in ZigZag LEB128.</summary>
    public static byte[] OfNumbers(int digits, long lowest, long highest, params long[] numbers) =>
        OfPayload(V2, digits, lowest, highest, [.. numbers.SelectMany(Leb128)]);

    /// <summary>Returns V1 or V2 data with any payload.</summary>
    public static byte[] OfPayload(uint cookie, int digits, long lowest, long highest, byte[] payload, int? length = null) =>
    [
        .. Int(cookie), .. Int((uint)(length ?? payload.Length)), .. Int(0), .. Int((uint)digits), .. Long(lowest), .. Long(highest),
        .. Long(BitConverter.DoubleToInt64Bits(1)), .. payload,
    ];

    public static byte[] V0(int wordSize, int digits, long lowest, long highest, byte[] payload) =>
        [.. Int(CookieOf(V0Base, wordSize)), .. Int((uint)digits), .. Long(lowest), .. Long(highest), .. Long(0), .. payload];

    public static byte[] Words(int wordSize, params long[] counts) =>
        [.. counts.SelectMany(count => Long(count).Skip(sizeof(long) - wordSize))];

    public static byte[] Compressed(byte[] inflated, uint cookie = V2Compressed, int? length = null)
    {
        byte[] zlib = Zlib(inflated);
        return [.. Int(cookie), .. Int((uint)(length ?? zlib.Length)), .. zlib];
    }

    public static byte[] Zlib(byte[] inflated)
    {
        using var target = new MemoryStream();
        using (var zlib = new ZLibStream(target, CompressionLevel.SmallestSize))
        {
            zlib.Write(inflated);
        }

        return target.ToArray();
    }

    public static byte[] Leb128(long value)
    {
        var bits = (ulong)((value << 1) ^ (value >> 63));
        var bytes = new List<byte>();
        while (bits >= 0x80 && bytes.Count < 8)
        {
            bytes.Add((byte)(bits | 0x80));
            bits >>= 7;
        }

        return [.. bytes, (byte)bits];
    }

    public static byte[] Int(uint value)
    {
        byte[] bytes = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        return bytes;
    }

    public static byte[] Long(long value)
    {
        byte[] bytes = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(bytes, value);
        return bytes;
    }
}
