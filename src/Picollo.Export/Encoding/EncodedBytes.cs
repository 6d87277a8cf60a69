namespace Picollo.Export;

/// <summary>The counts of an encoded histogram, some at a time, from memory or, through a small buffer, from a stream that inflates
/// them.</summary>
internal ref struct EncodedBytes
{
    public const int BufferLength = 16_384;

    private readonly Stream? _stream;
    private readonly Span<byte> _buffer;
    private readonly bool _isShort; // its length is unknown, and it may end anywhere between two numbers
    private ReadOnlySpan<byte> _rest;
    private long _streamRest; // what the payload still has beyond _rest

    /// <summary>All of it in memory.</summary>
    public EncodedBytes(ReadOnlySpan<byte> payload, long offset)
    {
        _rest = payload;
        Offset = offset;
    }

    /// <summary>From a stream, through a buffer of <see cref="BufferLength"/>. Its first bytes were read into the buffer with the header,
    /// which says how long it is.</summary>
    public EncodedBytes(Stream stream, Span<byte> buffer, ReadOnlySpan<byte> first, in EncodedHeader header)
    {
        _stream = stream;
        _buffer = buffer;
        Offset = header.Length;
        _isShort = header.PayloadLength is null;
        long length = header.PayloadLength ?? (long)header.CountsLength * header.WordSize;
        HasMore = first.Length > length;
        first = first[..(int)Math.Min(first.Length, length)];
        _streamRest = length - first.Length;
        _rest = first; // in the buffer
    }

    /// <summary>Of the first byte that is not taken yet, in the encoded bytes.</summary>
    public long Offset { get; private set; }

    /// <summary>Whether bytes that do not belong to the payload were read behind it.</summary>
    public bool HasMore { get; }

    /// <summary>The bytes at hand.</summary>
    /// <param name="bytes">From <see cref="Offset"/> on; none at the end.</param>
    /// <returns>How many of them a number can begin at: all but the last few, in which one may be cut that goes on behind them.</returns>
    /// <exception cref="HdrHistogramFormatException">The end comes too early.</exception>
    public int Peek(out ReadOnlySpan<byte> bytes)
    {
        if (_rest.Length < ZigZag.MaxLength && _streamRest > 0)
        {
            Refill();
        }

        bytes = _rest;
        return _streamRest > 0 ? _rest.Length - ZigZag.MaxLength + 1 : _rest.Length;
    }

    /// <summary>Goes on behind the bytes that have been read.</summary>
    public void Take(int length)
    {
        _rest = _rest[length..];
        Offset += length;
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
