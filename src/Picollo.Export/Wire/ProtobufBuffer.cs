using System.Buffers.Binary;

namespace Picollo.Export;

/// <summary>Writes a message in the wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/) to a growing
/// buffer. Not thread-safe.</summary>
internal sealed class ProtobufBuffer : IDisposable
{
    // The number of bytes for the length of a nested message. The length precedes the message and is padded, so that the message need not
    // be moved once its length is known. Decoders accept padded numbers.
    private const int LengthBytes = 4;
    private const int NumberBytes = 10;

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(1 << 12);
    private int _length;

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    public ReadOnlyMemory<byte> WrittenMemory => _bytes.AsMemory(0, _length);

    public void Clear() => _length = 0;

    public void WriteVarint(int field, ulong value)
    {
        WriteNumber((ulong)field << 3);
        WriteNumber(value);
    }

    /// <summary>Writes a signed number of a type with zigzag encoding: <c>sint32</c> or <c>sint64</c>.</summary>
    public void WriteSigned(int field, long value) => WriteVarint(field, ZigZag(value));

    public void WriteDouble(int field, double value)
    {
        WriteNumber(((ulong)field << 3) | 1);
        WriteDouble(value);
    }

    public void WriteFixed64(int field, ulong value)
    {
        WriteNumber(((ulong)field << 3) | 1);
        WriteFixed64(value);
    }

    public void WriteText(int field, string text)
    {
        WriteNumber(((ulong)field << 3) | 2);
        WriteNumber((ulong)Encoding.UTF8.GetByteCount(text));
        Span<byte> free = Reserve(Encoding.UTF8.GetMaxByteCount(text.Length));
        _length += Encoding.UTF8.GetBytes(text, free);
    }

    public void WriteBytes(int field, ReadOnlySpan<byte> bytes)
    {
        WriteNumber(((ulong)field << 3) | 2);
        WriteNumber((ulong)bytes.Length);
        bytes.CopyTo(Reserve(bytes.Length));
        _length += bytes.Length;
    }

    /// <summary>Starts a nested message or a packed field. Returns the position to pass to <see cref="End"/>.</summary>
    public int Begin(int field)
    {
        WriteNumber(((ulong)field << 3) | 2);
        return BeginMessage();
    }

    /// <summary>Starts a message that is preceded by its length.</summary>
    /// <inheritdoc cref="Begin" path="/returns"/>
    public int BeginMessage()
    {
        Reserve(LengthBytes);
        _length += LengthBytes;
        return _length;
    }

    public void End(int start)
    {
        int length = _length - start;
        for (int i = 0; i < LengthBytes; i++)
        {
            bool isLast = i == LengthBytes - 1;
            _bytes[start - LengthBytes + i] = (byte)((length >> (7 * i) & 0x7F) | (isLast ? 0 : 0x80));
        }
    }

    /// <summary>Writes a signed number in a packed field.</summary>
    public void WriteSigned(long value) => WriteNumber(ZigZag(value));

    /// <summary>Writes a number of a fixed length in a packed field.</summary>
    public void WriteDouble(double value)
    {
        BinaryPrimitives.WriteDoubleLittleEndian(Reserve(sizeof(double)), value);
        _length += sizeof(double);
    }

    /// <inheritdoc cref="WriteDouble(double)"/>
    public void WriteFixed64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(Reserve(sizeof(ulong)), value);
        _length += sizeof(ulong);
    }

    /// <summary>Writes a number in a packed field.</summary>
    public void WriteUnsigned(ulong value) => WriteNumber(value);

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
    }

    private static ulong ZigZag(long value) => (ulong)((value << 1) ^ (value >> 63));

    private void WriteNumber(ulong value)
    {
        Span<byte> free = Reserve(NumberBytes);
        int length = 0;
        for (; value >= 0x80; value >>= 7)
        {
            free[length++] = (byte)(value | 0x80);
        }

        free[length++] = (byte)value;
        _length += length;
    }

    private Span<byte> Reserve(int length)
    {
        if (_bytes.Length - _length < length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(2 * _bytes.Length, _length + length));
            Written.CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = larger;
        }

        return _bytes.AsSpan(_length);
    }
}
