using System.Runtime.ExceptionServices;

namespace Picollo.Cli.Hist;

/// <summary>An input that a separate thread reads, a block ahead: parsing rarely waits for it, and Ctrl+C works while a read of a silent
/// pipe blocks.</summary>
internal sealed class ReadAhead : ForwardStream
{
    private const int BlockSize = 1 << 18;
    private const int Failed = -1; // in place of a length, so that the blocks before are used first

    private readonly Func<Stream> _open;
    private readonly CancellationToken _token;
    private readonly byte[][] _blocks = [new byte[BlockSize], new byte[BlockSize]];
    private readonly int[] _lengths = new int[2];
    private readonly SemaphoreSlim _free = new(2);
    private readonly SemaphoreSlim _filled = new(0);
    private ExceptionDispatchInfo? _failure;
    private long _length = -1;
    private int _current = 1; // the block that bytes are taken from, up to the length, once one was awaited
    private int _position;
    private int _end;
    private bool _isAtEnd;

    /// <param name="open">Opens the input, which may take as long as reading does.</param>
    /// <param name="token">Ends a read with <see cref="OperationCanceledException"/>.</param>
    public ReadAhead(Func<Stream> open, CancellationToken token)
    {
        _open = open;
        _token = token;
        new Thread(Fill) { IsBackground = true, Name = "read ahead" }.Start();
    }

    /// <summary>The number of bytes that were read from this stream.</summary>
    public long Taken { get; private set; }

    /// <summary>The length of the input in bytes; null if it is not known before the end.</summary>
    public long? Total => Volatile.Read(ref _length) is >= 0 and var length ? length : null;

    /// <summary>Called after each block.</summary>
    public Action<ReadAhead>? Advanced { get; init; }

    public override bool CanRead => true;

    public override int Read(Span<byte> buffer)
    {
        if (_isAtEnd || !Await())
        {
            return 0;
        }

        int length = Math.Min(buffer.Length, _end - _position);
        _blocks[_current].AsSpan(_position, length).CopyTo(buffer);
        _position += length;
        Taken += length;
        return length;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <summary>Waits for bytes and returns those available without consuming them; none at the end.</summary>
    public ReadOnlySpan<byte> Peek() => _isAtEnd || !Await() ? [] : _blocks[_current].AsSpan(_position.._end);

    /// <summary>Waits for bytes; <see langword="false"/> at the end.</summary>
    private bool Await()
    {
        if (_position < _end)
        {
            return true;
        }

        if (_end > 0)
        {
            Advanced?.Invoke(this);
            _free.Release();
        }

        _filled.Wait(_token);
        _current ^= 1;
        _position = 0;
        _end = _lengths[_current];
        if (_end == Failed)
        {
            _failure!.Throw();
        }

        _isAtEnd = _end == 0;
        return !_isAtEnd;
    }

    private void Fill()
    {
        int block = 0;
        try
        {
            using Stream stream = _open();
            if (stream.CanSeek)
            {
                Volatile.Write(ref _length, stream.Length);
            }

            do
            {
                _free.Wait();
                _lengths[block] = stream.Read(_blocks[block]);
                _filled.Release();
                block ^= 1;
            }
            while (_lengths[block ^ 1] > 0);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _failure = ExceptionDispatchInfo.Capture(e);
            _lengths[block] = Failed;
            _filled.Release();
        }
    }
}
