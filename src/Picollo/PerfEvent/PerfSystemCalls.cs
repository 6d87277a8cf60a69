using System.Runtime.InteropServices;

namespace Picollo.PerfEvent;

/// <summary>The system calls behind counters. Blittable; each returns -1 and leaves the error in
/// <see cref="Marshal.GetLastPInvokeError"/>.</summary>
internal static unsafe partial class PerfSystemCalls
{
    // <linux/perf_event.h>
    public const nuint EnableRequest = 0x2400;
    public const nuint DisableRequest = 0x2401;
    public const nuint WholeGroup = 1;
    public const nuint CloseOnExec = 8;

    private const string Library = "libc";
    private const int ProtectRead = 1;
    private const int MapShared = 1;

    /// <summary>The number of perf_event_open(2), for which the C library has no function; null for an unknown architecture.</summary>
    private static readonly nint? OpenNumber = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 298,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 241,
        Architecture.S390x => 331,
        Architecture.Ppc64le => 319,
        _ => null,
    };

    /// <summary>Opens a counter; negative where that fails.</summary>
    public static int Open(PerfEventAttributes* attributes, int thread, int cpu, int group)
    {
        if (OpenNumber is not { } number)
        {
            Marshal.SetLastPInvokeError(PerfErrno.NotImplemented);
            return -1;
        }

        return (int)SystemCall(number, (nint)attributes, thread, cpu, group, CloseOnExec);
    }

    /// <summary>Maps a counter's page, read-only; 0 where that fails.</summary>
    public static nint MapPage(int file)
    {
        nint page = Map(0, (nuint)Environment.SystemPageSize, ProtectRead, MapShared, file, 0);
        return page == -1 ? 0 : page;
    }

    public static void UnmapPage(nint page) => _ = Unmap(page, (nuint)Environment.SystemPageSize);

    [LibraryImport(Library, EntryPoint = "ioctl", SetLastError = true)]
    public static partial int Control(int file, nuint request, nuint argument);

    // Without a GC transition: a counter's read neither blocks nor takes a microsecond.
    [LibraryImport(Library, EntryPoint = "read")]
    [SuppressGCTransition]
    public static partial nint Read(int file, void* buffer, nuint length);

    [LibraryImport(Library, EntryPoint = "close")]
    public static partial int Close(int file);

    [LibraryImport(Library, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint attributes, nint thread, nint cpu, nint group, nuint flags);

    [LibraryImport(Library, EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport(Library, EntryPoint = "munmap")]
    private static partial int Unmap(nint address, nuint length);
}
