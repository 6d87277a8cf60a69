using System.Runtime.InteropServices;
using Picollo.Interop.Linux;
using Picollo.Interop.MacOS;

namespace Picollo.Cli.Shell;

/// <summary>Standard output or error. .NET's own stream keeps silent when the reader of a pipe has gone; a command that goes on for hours
/// has to know.</summary>
internal sealed class DescriptorStream(int descriptor) : Stream
{
    // Where another process has made the terminal non-blocking.
    private static readonly int TryAgain = OperatingSystem.IsMacOS() ? LibSystem.EAGAIN : Errno.EAGAIN;

    private readonly bool _isOpen = StandardDescriptor.IsOpen(descriptor);

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override unsafe void Write(ReadOnlySpan<byte> buffer)
    {
        string name = descriptor == StandardDescriptor.Output ? "standard output" : "standard error";
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

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
