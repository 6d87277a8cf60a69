namespace Picollo.Export;

/// <summary>Reads the counts of an encoded histogram in pieces, from memory or through a small buffer from a decompression
/// stream.</summary>
internal ref struct EncodedBytes
{
    public const int BufferLength = 16_384;

    private readonly Stream? _stream;
    private readonly Span<byte> _buffer;
    private readonly bool _isShort; // the length is unknown, and the payload may end after any number
    private ReadOnlySpan<byte> _rest;
    private long _streamRest; // payload bytes that follow _rest

    /// <summary>Creates a reader of a payload in memory.</summary>
    public EncodedBytes(ReadOnlySpan<byte> payload, long offset)
    {
        _rest = payload;
        Offset = offset;
    }

    /// <summary>Creates a reader of a stream, through a buffer of <see cref="BufferLength"/> bytes. The first bytes of the payload are
    /// already in the buffer, because they were read together with the header.</summary>
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

    /// <summary>The position in the encoded bytes of the first byte that is not yet consumed.</summary>
    public long Offset { get; private set; }

    /// <summary>Whether bytes were read that follow the payload and do not belong to it.</summary>
    public bool HasMore { get; }

    /// <summary>Returns the available bytes.</summary>
    /// <param name="bytes">The bytes from <see cref="Offset"/> on; empty at the end.</param>
    /// <returns>The number of positions at which a number can start. The last few bytes are excluded if more follow, because a number could
    /// continue after them.</returns>
    /// <exception cref="HdrHistogramFormatException">The data ends too early.</exception>
    public int Peek(out ReadOnlySpan<byte> bytes)
    {
        if (_rest.Length < ZigZag.MaxLength && _streamRest > 0)
        {
            Refill();
        }

        bytes = _rest;
        return _streamRest > 0 ? _rest.Length - ZigZag.MaxLength + 1 : _rest.Length;
    }

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
