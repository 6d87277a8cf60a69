using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Picollo.Cli.Shell;

/// <summary>The keys of the terminal: of standard input, or where that is something else, of the terminal that this process belongs to. Linux.</summary>
internal sealed unsafe partial class Keyboard : IDisposable
{
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int NonBlocking = 0x800; // O_NONBLOCK
    private const short Readable = 1; // POLLIN

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
        if (Pipe(ends, CloseOnExec | NonBlocking) != 0)
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

        int terminal = Open("/dev/tty", CloseOnExec);
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
                case Event.None when !_decoder.IsInDoubt && Stopwatch.GetElapsedTime(start) >= timeout && timeout >= TimeSpan.Zero: return null;
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
                _ = Write(_wakeWrite, &any, 1); // a full pipe wakes as well
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

            _ = Close(_wakeRead);
            _ = Close(_wakeWrite);
            _wakeRead = _wakeWrite = -1;
            if (_isOwn)
            {
                _ = Close(Descriptor);
            }
        }
    }

    private Event Wait(TimeSpan timeout)
    {
        PollDescriptor* descriptors = stackalloc PollDescriptor[2];
        descriptors[0] = new PollDescriptor { Descriptor = Descriptor, Events = Readable, Returned = 0 };
        descriptors[1] = new PollDescriptor { Descriptor = _wakeRead, Events = Readable, Returned = 0 };
        int milliseconds = (int)Math.Min(Math.Ceiling(timeout.TotalMilliseconds), int.MaxValue);
        if (Poll(descriptors, 2, milliseconds) <= 0)
        {
            return Event.None; // or a signal: the caller sees how much time is left
        }

        if (descriptors[1].Returned != 0)
        {
            byte* dropped = stackalloc byte[64];
            while (Read(_wakeRead, dropped, 64) > 0)
            {
            }

            return Event.Wake;
        }

        return Event.Byte;
    }

    // One at a time: what is typed behind the key that ends the command is for whoever reads next.
    private void ReadByte()
    {
        const int Interrupted = 4, TryAgain = 11; // EINTR, EAGAIN
        byte read = 0;
        nint count = Read(Descriptor, &read, 1);
        if (count > 0)
        {
            _decoder.Add([read]);
            _lastByte = Stopwatch.GetTimestamp();
        }
        else if (count == 0 || Marshal.GetLastPInvokeError() is not (Interrupted or TryAgain))
        {
            IsGone = true;
        }
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int descriptor);

    [LibraryImport("libc", EntryPoint = "pipe2", SetLastError = true)]
    private static partial int Pipe(int* ends, int flags);

    [LibraryImport("libc", EntryPoint = "poll")]
    private static partial int Poll(PollDescriptor* descriptors, nuint count, int milliseconds);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    private static partial nint Read(int descriptor, byte* bytes, nuint count);

    [LibraryImport("libc", EntryPoint = "write")]
    private static partial nint Write(int descriptor, byte* bytes, nuint count);

    private enum Event
    {
        None,
        Byte,
        Wake,
    }

    private struct PollDescriptor
    {
        public int Descriptor;
        public short Events;
        public short Returned;
    }
}
