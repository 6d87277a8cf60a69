namespace Picollo.PerfEvent;

/// <summary>Error numbers of Linux that perf_event_open(2) gives; the same on all architectures that .NET runs on.</summary>
internal static class PerfErrno
{
    public const int NotPermitted = 1; // EPERM
    public const int NoEntry = 2; // ENOENT
    public const int NoSuchProcess = 3; // ESRCH
    public const int TooBig = 7; // E2BIG
    public const int BadFile = 9; // EBADF
    public const int NoMemory = 12; // ENOMEM
    public const int AccessDenied = 13; // EACCES
    public const int Busy = 16; // EBUSY
    public const int NoDevice = 19; // ENODEV
    public const int InvalidArgument = 22; // EINVAL
    public const int SystemFilesExhausted = 23; // ENFILE
    public const int FilesExhausted = 24; // EMFILE
    public const int NoSpace = 28; // ENOSPC
    public const int NotImplemented = 38; // ENOSYS
    public const int NotSupported = 95; // EOPNOTSUPP
}
