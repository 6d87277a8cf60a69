using System.Runtime.ExceptionServices;
using Picollo.Export.Text;

namespace Picollo.Cli.Hist;

/// <summary>A stream that a separate thread reads one block ahead. Parsing rarely waits for input, and Ctrl+C works while a read of an idle
/// pipe blocks.</summary>
internal sealed class ReadAhead : ForwardStream
{
    private const int BlockSize = 1 << 18;
    private const int Failed = -1; // replaces a length, so that earlier blocks are consumed first

    private readonly Func<Stream> _open;
    private readonly CancellationToken _token;
    private readonly byte[][] _blocks = [new byte[BlockSize], new byte[BlockSize]];
    private readonly int[] _lengths = new int[2];
    private readonly SemaphoreSlim _free = new(2);
    private readonly SemaphoreSlim _filled = new(0);
    private ExceptionDispatchInfo? _failure;
    private long _length = -1;
    private byte[] _peeked = []; // bytes before the current block
    private int _peekedStart;
    private int _peekedEnd;
    private int _current = 1; // the block that is being consumed
    private int _position;
    private int _end;
    private bool _isAtEnd;

    /// <param name="open">A function that opens the input. It may block.</param>
    /// <param name="token">A token that ends a read with <see cref="OperationCanceledException"/>.</param>
    public ReadAhead(Func<Stream> open, CancellationToken token)
    {
        _open = open;
        _token = token;
        new Thread(Fill) { IsBackground = true, Name = "read ahead" }.Start();
    }

    public long BytesRead { get; private set; }

    /// <summary>The length of the input in bytes; null if it is not known.</summary>
    public long? Total => Volatile.Read(ref _length) is >= 0 and var length ? length : null;

    public Action<ReadAhead>? BlockRead { get; init; }

    public override bool CanRead => true;

    public override int Read(Span<byte> buffer)
    {
        int length = Math.Min(buffer.Length, _peekedEnd - _peekedStart);
        if (length > 0)
        {
            _peeked.AsSpan(_peekedStart, length).CopyTo(buffer);
            _peekedStart += length;
        }
        else if (_isAtEnd || !Await())
        {
            return 0;
        }
        else
        {
            length = Math.Min(buffer.Length, _end - _position);
            _blocks[_current].AsSpan(_position, length).CopyTo(buffer);
            _position += length;
        }

        BytesRead += length;
        return length;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <summary>Returns the start of the input without consuming it. To be called before the first read.</summary>
    /// <param name="moreThan">The number of bytes to exceed: the method waits for more, or for the end.</param>
    public ReadOnlySpan<byte> Peek(int moreThan = 0)
    {
        while (_peekedEnd <= moreThan && !_isAtEnd && Await())
        {
            int length = _end - _position;
            Array.Resize(ref _peeked, Math.Max(_peeked.Length, _peekedEnd + length));
            _blocks[_current].AsSpan(_position, length).CopyTo(_peeked.AsSpan(_peekedEnd));
            _peekedEnd += length;
            _position = _end;
        }

        return _peeked.AsSpan(0, _peekedEnd);
    }

    private bool Await()
    {
        if (_position < _end)
        {
            return true;
        }

        if (_end > 0)
        {
            BlockRead?.Invoke(this);
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

/// <summary>A progress bar on a terminal. It appears if reading takes more than a second.</summary>
internal sealed class Progress(TextWriter terminal)
{
    private const int Cells = 30;
    private static readonly TimeSpan InitialDelay = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(200);

    private readonly long _start = Stopwatch.GetTimestamp();
    private TimeSpan _next = InitialDelay;
    private bool _isShown;

    public void Show(ReadAhead input)
    {
        TimeSpan elapsed = Stopwatch.GetElapsedTime(_start);
        if (elapsed < _next)
        {
            return;
        }

        _next = elapsed + Period;
        _isShown = true;
        terminal.Write($"\r{TextOf(input.BytesRead, input.Total)}\e[K");
    }

    public void Clear()
    {
        if (_isShown)
        {
            terminal.Write("\r\e[K");
            _isShown = false;
        }
    }

    /// <summary>Formats the progress in fewer than 60 columns.</summary>
    internal static string TextOf(long bytesRead, long? total)
    {
        if (total is not > 0)
        {
            return Quantity.Bytes(bytesRead);
        }

        double share = Math.Min((double)bytesRead / total.Value, 1); // the file may have grown
        int full = (int)(share * Cells);
        return Invariant($"{Math.Floor(share * 100),3:0} % [{new string('#', full).PadRight(Cells)}] of {Quantity.Bytes(total.Value)}");
    }
}
