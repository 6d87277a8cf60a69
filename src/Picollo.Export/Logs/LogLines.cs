namespace Picollo.Export;

/// <summary>Splits a stream of bytes into lines, which end in LF, CR or CR LF. The buffer holds one line. Text that starts with a
/// byte-order mark of UTF-16 is converted to UTF-8.</summary>
internal sealed class LogLines(Stream stream)
{
    /// <summary>The limit of the line length. It exceeds the longest line that a histogram with the most digits and the widest range can
    /// take.</summary>
    public const int MaxLength = 1 << 27;

    private Stream? _text; // null before the first read
    private byte[] _buffer = new byte[1 << 16];
    private int _start;
    private int _end;
    private bool _streamEnded;
    private bool _afterCarriageReturn;
    private bool _isTooLong; // the bytes up to the next line end belong to a rejected line

    /// <summary>The number of the current line, from 1.</summary>
    public long Number { get; private set; }

    /// <summary>Whether the current line has a line ending. Only the last line of the log can lack it.</summary>
    public bool IsTerminated { get; private set; }

    /// <summary>Reads a line without its line ending, which is valid until the next call; false at the end of the log.</summary>
    /// <exception cref="HdrHistogramFormatException">The line has <see cref="MaxLength"/> bytes or more.</exception>
    public bool TryRead(out ReadOnlySpan<byte> line)
    {
        while (TryReadAny(out line))
        {
            if (!_isTooLong)
            {
                return true;
            }

            _isTooLong = false;
            Number--;
        }

        return false;
    }

    private bool TryReadAny(out ReadOnlySpan<byte> line)
    {
        int scanned = 0;
        while (true)
        {
            if (_afterCarriageReturn && _start < _end)
            {
                _afterCarriageReturn = false;
                _start += _buffer[_start] == '\n' ? 1 : 0;
            }

            ReadOnlySpan<byte> rest = _buffer.AsSpan(_start, _end - _start);
            int end = rest[scanned..].IndexOfAny((byte)'\r', (byte)'\n');
            IsTerminated = end >= 0;
            if (IsTerminated || (_streamEnded && rest.Length > 0))
            {
                line = IsTerminated ? rest[..(scanned + end)] : rest;
                _afterCarriageReturn = IsTerminated && rest[line.Length] == '\r';
                _start += Math.Min(line.Length + 1, rest.Length);
                Number++;
                return true;
            }

            scanned = rest.Length;
            if (_streamEnded)
            {
                line = default;
                return false;
            }

            if (_isTooLong)
            {
                _start = _end;
                scanned = 0;
            }
            else if (scanned >= MaxLength)
            {
                _isTooLong = true;
                throw new HdrHistogramFormatException($"The line has {MaxLength} bytes or more", MaxLength, ++Number);
            }

            Fill();
        }
    }

    private void Fill()
    {
        _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
        (_start, _end) = (0, _end - _start);
        if (_end == _buffer.Length)
        {
            Array.Resize(ref _buffer, 2 * _buffer.Length);
        }

        _text ??= Begin();
        int read = _text.Read(_buffer, _end, _buffer.Length - _end);
        _streamEnded = read == 0;
        _end += read;
    }

    /// <summary>Skips a byte-order mark, which an editor or HdrHistogram.NET may have written.</summary>
    private Stream Begin()
    {
        foreach (Encoding encoding in (ReadOnlySpan<Encoding>)[Encoding.Unicode, Encoding.BigEndianUnicode, Encoding.UTF8])
        {
            ReadOnlySpan<byte> mark = encoding.Preamble;
            _end += stream.ReadAtLeast(_buffer.AsSpan(_end, mark.Length - _end), mark.Length - _end, throwOnEndOfStream: false);
            if (_buffer.AsSpan(0, _end).SequenceEqual(mark))
            {
                _end = 0;
                return encoding == Encoding.UTF8
                    ? stream
                    : Encoding.CreateTranscodingStream(stream, encoding, Encoding.UTF8, leaveOpen: true);
            }
        }

        return stream;
    }
}
