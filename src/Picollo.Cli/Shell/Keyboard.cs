using System.Diagnostics;
using System.Runtime.InteropServices;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>The keys of the terminal: of standard input, or where that is something else, of the terminal that this process belongs to.
/// Linux.</summary>
internal sealed unsafe class Keyboard : IDisposable
{
    /// <summary>The parts of one key's sequence come together; over a slow line nearly so.</summary>
    private static readonly TimeSpan SameKey = TimeSpan.FromMilliseconds(50);

    private readonly KeyDecoder _decoder = new();
    private readonly Lock _lock = new();
    private readonly bool _isOwn;
    private int _wakeRead; // -1 when disposed
    private int _wakeWrite;
    private long _lastByte;

    private Keyboard(int descriptor, bool isOwn)
    {
        (Descriptor, _isOwn) = (descriptor, isOwn);
        int* ends = stackalloc int[2];
        if (LibC.pipe2(ends, LibC.O_CLOEXEC | LibC.O_NONBLOCK) != 0)
        {
            throw new IOException($"pipe: {Marshal.GetLastPInvokeErrorMessage()}");
        }

        (_wakeRead, _wakeWrite) = (ends[0], ends[1]);
    }

    public int Descriptor { get; }

    /// <summary>The terminal has gone: there will be no more keys.</summary>
    public bool IsGone { get; private set; }

    /// <summary>Null where there is no terminal.</summary>
    public static Keyboard? TryOpen()
    {
        if (StandardDescriptor.IsOpen(StandardDescriptor.Input) && TerminalMode.IsTerminal(StandardDescriptor.Input))
        {
            return new Keyboard(StandardDescriptor.Input, isOwn: false);
        }

        int terminal = LibC.openat(LibC.AT_FDCWD, "/dev/tty", LibC.O_RDONLY | LibC.O_CLOEXEC);
        return terminal >= 0 ? new Keyboard(terminal, isOwn: true) : null;
    }

    /// <summary>Waits for a key.</summary>
    /// <param name="timeout">How long; negative for no end.</param>
    /// <returns>Null where none came in that time, where <see cref="Wake"/> was called, or where there will be none any more.</returns>
    public Key? Read(TimeSpan timeout)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            bool isAll = _decoder.IsInDoubt && Stopwatch.GetElapsedTime(_lastByte) >= SameKey;
            if (_decoder.Take(isAll) is { } key)
            {
                return key;
            }

            if (IsGone)
            {
                return null;
            }

            TimeSpan left = timeout < TimeSpan.Zero ? TimeSpan.MaxValue : timeout - Stopwatch.GetElapsedTime(start);
            if (left < TimeSpan.Zero)
            {
                left = TimeSpan.Zero;
            }

            switch (Wait(_decoder.IsInDoubt ? SameKey : left))
            {
                case Event.Byte: ReadByte(); break;
                case Event.Wake: return null;
                case Event.None when !_decoder.IsInDoubt && Stopwatch.GetElapsedTime(start) >= timeout && timeout >= TimeSpan.Zero:
                    return null;
                default: break;
            }
        }
    }

    /// <summary>Ends a <see cref="Read"/> that is under way, or the next one. For any thread.</summary>
    public void Wake()
    {
        lock (_lock)
        {
            if (_wakeWrite >= 0)
            {
                byte any = 0;
                _ = LibC.write(_wakeWrite, &any, 1); // a full pipe wakes as well
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
                _ = LibC.close(Descriptor);
            }
        }
    }

    private Event Wait(TimeSpan timeout)
    {
        LibC.PollFd* descriptors = stackalloc LibC.PollFd[2];
        descriptors[0] = new LibC.PollFd { File = Descriptor, Events = LibC.POLLIN };
        descriptors[1] = new LibC.PollFd { File = _wakeRead, Events = LibC.POLLIN };
        int milliseconds = (int)Math.Min(Math.Ceiling(timeout.TotalMilliseconds), int.MaxValue);
        if (LibC.poll(descriptors, 2, milliseconds) <= 0)
        {
            return Event.None; // or a signal: the caller sees how much time is left
        }

        if (descriptors[1].Returned != 0)
        {
            byte* dropped = stackalloc byte[64];
            while (LibC.read(_wakeRead, dropped, 64) > 0)
            {
            }

            return Event.Wake;
        }

        return Event.Byte;
    }

    // One at a time: what is typed behind the key that ends the command is for whoever reads next.
    private void ReadByte()
    {
        byte read = 0;
        nint count = LibC.read(Descriptor, &read, 1);
        if (count > 0)
        {
            _decoder.Add([read]);
            _lastByte = Stopwatch.GetTimestamp();
        }
        else if (count == 0 || Marshal.GetLastPInvokeError() is not (Errno.EINTR or Errno.EAGAIN))
        {
            IsGone = true;
        }
    }

    private enum Event
    {
        None,
        Byte,
        Wake,
    }
}
