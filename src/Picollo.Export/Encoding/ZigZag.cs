using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Picollo.Export;

/// <summary>
/// Signed numbers in 1 to 9 bytes: small ones of either sign in few. LEB128 of <c>(value &lt;&lt; 1) ^ (value &gt;&gt; 63)</c>, seven bits
/// a byte from the lowest, but for a ninth byte, which holds eight (HdrHistogram's <c>ZigZagEncoding</c>).
/// </summary>
internal static class ZigZag
{
    public const int MaxLength = 9;

    /// <summary>Writes to a span of <see cref="MaxLength"/> at least.</summary>
    /// <returns>The bytes written.</returns>
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

    /// <summary>The bytes of a number below 2^14, already in ZigZag, with the first the lowest, and their number: one or two.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static (uint Bytes, int Length) GetShort(uint bits)
    {
        // Adding the bits from 7 on to the number moves them up by one and leaves bit 7 for the continuation flag. There is no branch,
        // because whether there is a second byte is as good as random.
        uint more = bits > 0x7f ? 1u : 0;
        return ((bits + (bits & ~0x7fu)) | (more << 7), 1 + (int)more);
    }

    private static int WriteLonger(Span<byte> target, ulong rest)
    {
        if (rest < 1 << 28)
        {
            // Three bytes or four, without a loop whose end is as good as random: each seven bits move to a byte.
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

    /// <summary>Reads from the begin of a span.</summary>
    /// <returns>The bytes read; 0 where the span ends before the number does.</returns>
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
