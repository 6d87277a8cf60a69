using Picollo.Interop.Linux;
using Picollo.Interop.MacOS;

namespace Picollo.Cli.Shell;

/// <summary>A stream for standard output or standard error that reports a closed pipe. .NET's stream ignores it, so that a command would
/// continue for hours.</summary>
/// <param name="isOptional">Whether text that cannot be written is dropped instead.</param>
internal sealed class DescriptorStream(int descriptor, bool isOptional = false) : ForwardStream
{
    public const int Input = 0, Output = 1, Error = 2;

    // Returned if another process has made the terminal non-blocking.
    private static readonly int TryAgain = OperatingSystem.IsMacOS() ? LibSystem.EAGAIN : Errno.EAGAIN;

    private readonly bool _isOpen = IsOpen(descriptor);

    public override bool CanWrite => true;

    /// <summary>Returns whether a standard descriptor was open when this program started. If it was closed (<c>&lt;&amp;-</c>), the runtime
    /// may have opened another file with this number: reading it may never end, and writing to it may corrupt it. The runtime sets
    /// FD_CLOEXEC on all descriptors that it opens; an inherited descriptor cannot have this flag.</summary>
    public static bool IsOpen(int descriptor) =>
        OperatingSystem.IsWindows() || (LibC.fcntl(descriptor, LibC.F_GETFD, 0) is >= 0 and var flags && (flags & LibC.FD_CLOEXEC) == 0);

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        try
        {
            WriteAll(buffer);
        }
        catch (Exception e) when (isOptional && e is IOException or ClosedPipeException)
        {
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    private unsafe void WriteAll(ReadOnlySpan<byte> buffer)
    {
        string name = descriptor == Output ? "standard output" : "standard error";
        if (!_isOpen)
        {
            throw new IOException($"{name}: Bad file descriptor");
        }

        while (!buffer.IsEmpty)
        {
            nint written;
            fixed (byte* first = buffer)
            {
                written = LibC.write(descriptor, first, buffer.Length);
            }

            if (written >= 0)
            {
                buffer = buffer[(int)written..];
                continue;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error == Errno.EPIPE)
            {
                throw new ClosedPipeException();
            }

            if (error == TryAgain)
            {
                Thread.Sleep(1);
            }
            else if (error != Errno.EINTR)
            {
                throw new IOException($"{name}: {Marshal.GetPInvokeErrorMessage(error)}");
            }
        }
    }
}

/// <summary>A base class for streams that cannot seek. A derived class either reads or writes.</summary>
internal abstract class ForwardStream : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
