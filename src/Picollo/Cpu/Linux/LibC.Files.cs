using System.Runtime.InteropServices;

namespace Picollo.Cpu.Linux;

/// <summary>The C library's calls for files and directories. Blittable; with a GC transition, as the kernel may make a page of
/// text for a read.</summary>
internal static unsafe partial class LibC
{
    // <asm-generic/fcntl.h>; O_DIRECTORY is told by architecture, and not needed: getdents64 refuses anything else.
    public const int AtCurrentDirectory = -100;
    public const int OpenReadOnly = 0;
    public const int OpenCloseOnExec = 0x80000;

    /// <summary>CLOCK_BOOTTIME of <c>&lt;linux/time.h&gt;</c>: what the start times of processes are on.</summary>
    public const int ClockBootTime = 7;

    [LibraryImport(Library, EntryPoint = "openat", SetLastError = true)]
    public static partial int OpenAt(int directory, byte* path, int flags);

    [LibraryImport(Library, EntryPoint = "read", SetLastError = true)]
    public static partial nint Read(int file, byte* buffer, nint length);

    [LibraryImport(Library, EntryPoint = "close")]
    public static partial int Close(int file);

    [LibraryImport(Library, EntryPoint = "syscall", SetLastError = true)]
    public static partial nint SystemCall(nint number, nint first, nint second, nint third);

    [LibraryImport(Library, EntryPoint = "syscall", SetLastError = true)]
    public static partial nint SystemCall(nint number, nint first, nint second, nint third, nint fourth, nint fifth);
}
