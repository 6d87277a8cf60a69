using System.Buffers.Binary;

namespace Picollo.Export;

/// <summary>
/// Encodes signed numbers in 1 to 9 bytes, small magnitudes in few. The encoding is LEB128 of <c>(value &lt;&lt; 1) ^ (value &gt;&gt;
/// 63)</c>, with seven bits per byte, lowest first. A ninth byte holds eight bits (<c>ZigZagEncoding</c> of HdrHistogram).
/// </summary>
internal static class ZigZag
{
    public const int MaxLength = 9;

    /// <summary>Writes a number to a span of at least <see cref="MaxLength"/> bytes. Returns the number of bytes written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> target, long value)
    {
        ulong bits = (ulong)((value << 1) ^ (value >> 63));
        if (bits >= 1 << 14)
        {
            return WriteLonger(target, bits);
        }

        (uint bytes, int length) = GetShort((uint)bits);
        BinaryPrimitives.WriteUInt16LittleEndian(target, (ushort)bytes);
        return length;
    }

    /// <summary>Returns the one or two bytes of a ZigZag number below 2^14, first byte lowest, and their number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static (uint Bytes, int Length) GetShort(uint bits)
    {
        // Adding the bits from 7 on to the number shifts them left by one and leaves bit 7 free for the continuation flag. There is no
        // branch, because the number of bytes is unpredictable.
        uint more = bits > 0x7f ? 1u : 0;
        return ((bits + (bits & ~0x7fu)) | (more << 7), 1 + (int)more);
    }

    private static int WriteLonger(Span<byte> target, ulong rest)
    {
        if (rest < 1 << 28)
        {
            // Three or four bytes, without a loop whose end is unpredictable. Each group of seven bits moves to a byte.
            uint low = (uint)rest;
            uint more = low >= 1 << 21 ? 1u : 0;
            BinaryPrimitives.WriteUInt32LittleEndian(
                target,
                (low & 0x7f) | ((low & (0x7f << 7)) << 1) | ((low & (0x7f << 14)) << 2) | ((low >> 21) << 24) | 0x8080 | (more << 23));
            return 3 + (int)more;
        }

        int length = 0;
        while (rest >= 0x80 && length < MaxLength - 1)
        {
            target[length++] = (byte)(rest | 0x80);
            rest >>= 7;
        }

        target[length++] = (byte)rest;
        return length;
    }

    /// <summary>Reads a number from the start of a span. Returns its length in bytes; 0 if the span ends before the number does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Read(ReadOnlySpan<byte> source, out long value)
    {
        if (source.Length > 0 && source[0] < 0x80)
        {
            value = (source[0] >> 1) ^ -(source[0] & 1);
            return 1;
        }

        return ReadLonger(source, out value);
    }

    private static int ReadLonger(ReadOnlySpan<byte> source, out long value)
    {
        ulong bits = 0;
        for (int i = 0; i < source.Length; i++)
        {
            ulong next = source[i];
            if (next < 0x80 || i == MaxLength - 1)
            {
                bits |= next << (7 * i);
                value = (long)(bits >> 1) ^ -(long)(bits & 1);
                return i + 1;
            }

            bits |= (next & 0x7f) << (7 * i);
        }

        value = 0;
        return 0;
    }
}
