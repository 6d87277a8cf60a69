using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>Reads keys from standard input or, if it is not a terminal, from the controlling terminal of this process. Linux
/// only.</summary>
/// <remarks>Sets the terminal mode (termios(3)) by system calls, because System.Console would send sequences to the terminal and restore
/// its own settings.</remarks>
internal sealed unsafe class Keyboard : IDisposable
{
    /// <summary>The maximum time between the bytes of one key, long enough for a slow connection.</summary>
    private static readonly TimeSpan KeyTimeout = TimeSpan.FromMilliseconds(50);

    private readonly KeyDecoder _decoder = new();
    private readonly Lock _lock = new();
    private readonly int _descriptor;
    private readonly bool _isOwn;
    private LibC.Termios _saved;
    private bool _isSaved;
    private int _wakeRead; // -1 when disposed
    private int _wakeWrite;
    private long _lastByte;

    private Keyboard(int descriptor, bool isOwn)
    {
        (_descriptor, _isOwn) = (descriptor, isOwn);
        int* ends = stackalloc int[2];
        if (LibC.pipe2(ends, LibC.O_CLOEXEC | LibC.O_NONBLOCK) != 0)
        {
            throw new IOException($"pipe: {Marshal.GetLastPInvokeErrorMessage()}");
        }

        (_wakeRead, _wakeWrite) = (ends[0], ends[1]);
    }

    /// <summary>Whether the terminal was closed, so that no more keys can arrive.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>Opens the keyboard. Returns null if there is no terminal.</summary>
    public static Keyboard? TryOpen()
    {
        if (DescriptorStream.IsOpen(DescriptorStream.Input) && LibC.isatty(DescriptorStream.Input) == 1)
        {
            return new Keyboard(DescriptorStream.Input, isOwn: false);
        }

        int terminal = LibC.openat(LibC.AT_FDCWD, "/dev/tty", LibC.O_RDONLY | LibC.O_CLOEXEC);
        return terminal >= 0 ? new Keyboard(terminal, isOwn: true) : null;
    }

    /// <summary>Sets a mode in which each key is available immediately and is not echoed. Saves the previous mode for
    /// <see cref="RestoreMode"/>, unless one is already saved.</summary>
    public void SetMode()
    {
        if (!_isSaved)
        {
            fixed (LibC.Termios* saved = &_saved)
            {
                _isSaved = LibC.tcgetattr(_descriptor, saved) == 0;
            }
        }

        if (_isSaved)
        {
            LibC.Termios keys = _saved;
            keys.LocalFlags = (keys.LocalFlags & ~(LibC.ICANON | LibC.ECHO)) | LibC.ISIG; // Ctrl+C and Ctrl+Z keep their meaning
            keys.Characters[LibC.VMIN] = 1;
            keys.Characters[LibC.VTIME] = 0;
            SetMode(LibC.TCSANOW, keys); // TCSANOW keeps typed-ahead input
        }
    }

    /// <summary>Restores the previous mode, unless the shell is in the foreground again and has set its own mode.</summary>
    public void RestoreMode()
    {
        if (_isSaved)
        {
            _isSaved = false;
            if (LibC.tcgetpgrp(_descriptor) == LibC.getpgid(0))
            {
                SetMode(LibC.TCSADRAIN, _saved);
            }
        }
    }

    /// <param name="timeout">The maximum time to wait; negative for no limit.</param>
    /// <returns>The key; null on a timeout, after <see cref="Wake"/>, or if <see cref="IsClosed"/> is <see langword="true"/>.</returns>
    public Key? Read(TimeSpan timeout)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            bool isAll = _decoder.IsIncomplete && Stopwatch.GetElapsedTime(_lastByte) >= KeyTimeout;
            if (_decoder.Take(isAll) is { } key)
            {
                return key;
            }

            TimeSpan left = timeout < TimeSpan.Zero ? TimeSpan.MaxValue : timeout - Stopwatch.GetElapsedTime(start);
            left = left > TimeSpan.Zero ? left : TimeSpan.Zero;
            if (IsClosed || !Wait(_decoder.IsIncomplete ? KeyTimeout : left) || (left == TimeSpan.Zero && !_decoder.IsIncomplete))
            {
                return null;
            }
        }
    }

    /// <summary>Ends the current <see cref="Read"/>, or the next one. Can be called from any thread.</summary>
    public void Wake()
    {
        lock (_lock)
        {
            if (_wakeWrite >= 0)
            {
                byte any = 0;
                _ = LibC.write(_wakeWrite, &any, 1); // a full pipe also wakes the reader
            }
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            if (_wakeRead < 0)
            {
                return;
            }

            _ = LibC.close(_wakeRead);
            _ = LibC.close(_wakeWrite);
            _wakeRead = _wakeWrite = -1;
            if (_isOwn)
            {
                _ = LibC.close(_descriptor);
            }
        }
    }

    // A background process is stopped here until it is in the foreground again; then the call is repeated.
    private void SetMode(int when, LibC.Termios mode)
    {
        while (LibC.tcsetattr(_descriptor, when, &mode) != 0 && Marshal.GetLastPInvokeError() == Errno.EINTR)
        {
        }
    }

    /// <summary>Waits for a byte and adds it to the decoder. Returns <see langword="false"/> if <see cref="Wake"/> was called.</summary>
    private bool Wait(TimeSpan timeout)
    {
        LibC.PollFd* descriptors = stackalloc LibC.PollFd[2];
        descriptors[0] = new LibC.PollFd { File = _descriptor, Events = LibC.POLLIN };
        descriptors[1] = new LibC.PollFd { File = _wakeRead, Events = LibC.POLLIN };
        int milliseconds = (int)Math.Min(Math.Ceiling(timeout.TotalMilliseconds), int.MaxValue);
        if (LibC.poll(descriptors, 2, milliseconds) <= 0)
        {
            return true; // a timeout or a signal: the caller computes the remaining time
        }

        if (descriptors[1].Returned != 0)
        {
            byte* dropped = stackalloc byte[64];
            while (LibC.read(_wakeRead, dropped, 64) > 0)
            {
            }

            return false;
        }

        // One byte at a time: input after the key that ends the command belongs to the next reader of the terminal.
        byte read = 0;
        nint count = LibC.read(_descriptor, &read, 1);
        if (count > 0)
        {
            _decoder.Add([read]);
            _lastByte = Stopwatch.GetTimestamp();
        }
        else if (count == 0 || Marshal.GetLastPInvokeError() is not (Errno.EINTR or Errno.EAGAIN))
        {
            IsClosed = true;
        }

        return true;
    }
}
