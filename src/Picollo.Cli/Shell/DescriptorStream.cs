using System.Runtime.InteropServices;
using Picollo.Interop.Linux;
using Picollo.Interop.MacOS;

namespace Picollo.Cli.Shell;

/// <summary>Standard output or error. .NET's own stream ignores a closed pipe; a command that runs for hours has to end then.</summary>
internal sealed class DescriptorStream(int descriptor) : ForwardStream
{
    /// <summary>The descriptors of standard input, output and error.</summary>
    public const int Input = 0, Output = 1, Error = 2;

    // If another process has made the terminal non-blocking.
    private static readonly int TryAgain = OperatingSystem.IsMacOS() ? LibSystem.EAGAIN : Errno.EAGAIN;

    private readonly bool _isOpen = IsOpen(descriptor);

    public override bool CanWrite => true;

    /// <summary>Whether a standard descriptor was open when this program was started. If it was closed (<c>&lt;&amp;-</c>), the runtime has
    /// opened another file under its number: reading it may never end, and writing to it does harm. An inherited descriptor cannot have
    /// FD_CLOEXEC, which the runtime sets on all that it opens.</summary>
    public static bool IsOpen(int descriptor) =>
        OperatingSystem.IsWindows() || (LibC.fcntl(descriptor, LibC.F_GETFD, 0) is >= 0 and var flags && (flags & LibC.FD_CLOEXEC) == 0);

    public override unsafe void Write(ReadOnlySpan<byte> buffer)
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

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));
}
