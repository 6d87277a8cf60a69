using System.Runtime.InteropServices;

namespace Picollo.Cli.Shell;

/// <summary>Standard output or error. .NET's own stream keeps silent when the reader of a pipe has gone; a command that goes on for hours has
/// to know.</summary>
internal sealed partial class DescriptorStream(int descriptor) : Stream
{
    private const int Interrupted = 4; // EINTR
    private const int BrokenPipe = 32; // EPIPE

    private static readonly int TryAgain = OperatingSystem.IsMacOS() ? 35 : 11; // EAGAIN: somebody has made the terminal non-blocking

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

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        string name = descriptor == StandardDescriptor.Output ? "standard output" : "standard error";
        if (!_isOpen)
        {
            throw new IOException($"{name}: Bad file descriptor");
        }

        while (!buffer.IsEmpty)
        {
            nint written = Write(descriptor, buffer, (nuint)buffer.Length);
            if (written >= 0)
            {
                buffer = buffer[(int)written..];
                continue;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error == BrokenPipe)
            {
                throw new ClosedPipeException();
            }

            if (error == TryAgain)
            {
                Thread.Sleep(1);
            }
            else if (error != Interrupted)
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

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    private static partial nint Write(int descriptor, ReadOnlySpan<byte> buffer, nuint count);
}
