namespace Picollo.Interop.Linux;

/// <summary>The functions of the C library, with one file for each concern. Functions and constants have the names in the manual pages and
/// kernel headers, so that a search for a name finds its uses.</summary>
/// <remarks>All signatures are blittable, except for string paths. A function that returns -1 on failure sets
/// <see cref="System.Runtime.InteropServices.Marshal.GetLastPInvokeError"/> if a caller needs it. Functions without a GC transition do not
/// block and take less than a microsecond. <c>write</c>, <c>lseek</c>, <c>kill</c> and <c>fcntl(F_GETFD)</c> are also called on macOS.
/// fcntl is variadic there, and arm64 passes variadic arguments differently: a command with an argument needs a separate declaration for
/// macOS.</remarks>
internal static unsafe partial class LibC
{
    private const string Library = "libc";
}

/// <summary>Error numbers of <c>&lt;asm-generic/errno-base.h&gt;</c> and <c>&lt;asm-generic/errno.h&gt;</c>. They are equal on every
/// architecture that .NET supports.</summary>
internal static class Errno
{
    public const int EPERM = 1;
    public const int ENOENT = 2;
    public const int ESRCH = 3;
    public const int EINTR = 4;
    public const int E2BIG = 7;
    public const int EBADF = 9;
    public const int EAGAIN = 11;
    public const int ENOMEM = 12;
    public const int EACCES = 13;
    public const int EBUSY = 16;
    public const int EEXIST = 17;
    public const int ENODEV = 19;
    public const int ENOTDIR = 20;
    public const int EINVAL = 22;
    public const int ENFILE = 23;
    public const int EMFILE = 24;
    public const int ENOSPC = 28;
    public const int EPIPE = 32;
    public const int ERANGE = 34;
    public const int ENOSYS = 38;
    public const int ELOOP = 40;
    public const int EOPNOTSUPP = 95;
}
