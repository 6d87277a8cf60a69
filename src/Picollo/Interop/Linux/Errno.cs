namespace Picollo.Interop.Linux;

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
