using System.Buffers.Binary;

namespace Picollo.Metrics.Export;

/// <summary>The counts of an encoded histogram, number by number, from memory or, through a small buffer, from a stream that inflates
/// them.</summary>
internal ref struct EncodedBytes
{
    public const int BufferLength = 4096;

    private readonly Stream? _stream;
    private readonly Span<byte> _buffer;
    private readonly bool _isShort; // its length is not told, and it may end anywhere between two numbers
    private ReadOnlySpan<byte> _rest;
    private long _streamRest; // what the payload still has beyond _rest

    /// <summary>All of it in memory.</summary>
    public EncodedBytes(ReadOnlySpan<byte> payload, long offset)
    {
        _rest = payload;
        Offset = offset;
    }

    /// <summary>From a stream, of which the first bytes were read with the header.</summary>
    /// <param name="stream">What follows.</param>
    /// <param name="buffer">Of <see cref="BufferLength"/>.</param>
    /// <param name="first">What was read.</param>
    /// <param name="header">Says how long it is.</param>
    public EncodedBytes(Stream stream, Span<byte> buffer, ReadOnlySpan<byte> first, in EncodedHeader header)
    {
        _stream = stream;
        _buffer = buffer;
        Offset = header.Length;
        _isShort = header.PayloadLength is null;
        long length = header.PayloadLength ?? (long)header.CountsLength * header.WordSize;
        first = first[..(int)Math.Min(first.Length, length)];
        _streamRest = length - first.Length;
        first.CopyTo(buffer);
        _rest = buffer[..first.Length];
    }

    /// <summary>Of the number that is read next, in the encoded bytes.</summary>
    public long Offset { get; private set; }

    /// <summary>Reads a number.</summary>
    /// <param name="wordSize">2, 4 or 8 bytes; 0 for ZigZag.</param>
    /// <param name="number">The number.</param>
    /// <returns>False at the end.</returns>
    /// <exception cref="HdrHistogramFormatException">The end comes inside a number, or too early.</exception>
    public bool TryRead(int wordSize, out long number)
    {
        if (_rest.Length < ZigZag.MaxLength && _streamRest > 0)
        {
            Refill();
        }

        number = 0;
        if (_rest.IsEmpty)
        {
            return false;
        }

        int length = wordSize;
        switch (wordSize)
        {
            case 0: length = ZigZag.Read(_rest, out number); break;
            case 2 when _rest.Length >= 2: number = BinaryPrimitives.ReadInt16BigEndian(_rest); break;
            case 4 when _rest.Length >= 4: number = BinaryPrimitives.ReadInt32BigEndian(_rest); break;
            case 8 when _rest.Length >= 8: number = BinaryPrimitives.ReadInt64BigEndian(_rest); break;
            default: length = 0; break;
        }

        if (length == 0)
        {
            throw EncodedHeader.Truncated(Offset + _rest.Length);
        }

        _rest = _rest[length..];
        Offset += length;
        return true;
    }

    private void Refill()
    {
        _rest.CopyTo(_buffer);
        int kept = _rest.Length;
        int wanted = (int)Math.Min(_buffer.Length - kept, _streamRest);
        int read = _stream!.ReadAtLeast(_buffer.Slice(kept, wanted), wanted, throwOnEndOfStream: false);
        if (read < wanted && !_isShort)
        {
            throw EncodedHeader.Truncated(Offset + kept + read);
        }

        _streamRest = read < wanted ? 0 : _streamRest - read;
        _rest = _buffer[..(kept + read)];
    }
}
