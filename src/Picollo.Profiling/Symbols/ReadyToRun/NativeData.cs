using System.Buffers.Binary;
using System.Numerics;

namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>Reads the data of a ReadyToRun section from a given position. Reads beyond the end throw
/// <see cref="BadImageFormatException"/>.</summary>
internal ref struct NativeData(ReadOnlySpan<byte> bytes, long position = 0)
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;

    public long Position { get; set; } = position;

    public byte ReadByte() => Take(1)[0];

    public ushort ReadUInt16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(2));

    public uint ReadUInt32() => BinaryPrimitives.ReadUInt32LittleEndian(Take(4));

    /// <summary>Reads an offset of 1, 2 or 4 bytes, given the base-2 logarithm of that number.</summary>
    public uint ReadOffset(int size) => size == 0 ? ReadByte()
        : size == 1 ? ReadUInt16()
        : size == 2 ? ReadUInt32()
        : throw new BadImageFormatException("A table has entries of unknown size.");

    /// <summary>Reads a number of the native format: the count of low bits that are 1 is the number of additional bytes.</summary>
    public uint ReadUnsigned() => (uint)ReadNumber(signed: false);

    public int ReadSigned() => (int)ReadNumber(signed: true);

    /// <summary>Reads a compressed number of ECMA-335 (II.23.2).</summary>
    public uint ReadCompressed()
    {
        uint first = ReadByte();
        return (first & 0x80) == 0 ? first
            : (first & 0x40) == 0 ? (first & 0x3F) << 8 | ReadByte()
            : (first & 0x20) == 0 ? (first & 0x1F) << 24 | (uint)ReadByte() << 16 | (uint)ReadByte() << 8 | ReadByte()
            : throw new BadImageFormatException("A number has an invalid encoding.");
    }

    private long ReadNumber(bool signed)
    {
        byte first = ReadByte();
        int extra = BitOperations.TrailingZeroCount(~(uint)first);
        if (extra > 4)
        {
            throw new BadImageFormatException("A number has an invalid encoding.");
        }

        long value = first;
        for (int i = 1; i <= extra; i++)
        {
            value |= (long)ReadByte() << (8 * i);
        }

        int unused = 64 - (8 * (extra + 1));
        int prefix = extra == 4 ? 8 : extra + 1;
        return signed ? value << unused >> (unused + prefix) : value << unused >>> (unused + prefix);
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (Position < 0 || Position > _bytes.Length - count)
        {
            throw new BadImageFormatException("A table ends too early.");
        }

        ReadOnlySpan<byte> taken = _bytes.Slice((int)Position, count);
        Position += count;
        return taken;
    }
}
