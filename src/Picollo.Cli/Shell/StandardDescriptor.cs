using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>Descriptors 0 to 2. Where one was closed (<c>&lt;&amp;-</c>), the runtime has opened something of its own under that number:
/// reading it may never end, and writing to it is not harmless.</summary>
internal static class StandardDescriptor
{
    public const int Input = 0;
    public const int Output = 1;
    public const int Error = 2;

    /// <summary>Whether it was there when this program began: what was passed on to it cannot have the flag that closes it then, which the
    /// runtime sets on all that it opens.</summary>
    public static bool IsOpen(int descriptor) =>
        OperatingSystem.IsWindows() || (LibC.fcntl(descriptor, LibC.F_GETFD, 0) is >= 0 and var flags && (flags & LibC.FD_CLOEXEC) == 0);
}
