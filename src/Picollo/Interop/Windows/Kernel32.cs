namespace Picollo.Interop.Windows;

/// <summary>Functions of kernel32.dll. All signatures are blittable; a BOOL is an int. Functions on the hot path take much less than a
/// microsecond and never block, so they have no GC transition.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class Kernel32
{
    // Pseudo-handles, equal in every process. They are not closed.
    public const nint CurrentProcess = -1;
    public const nint CurrentThread = -2;

    // winnt.h
    public const uint THREAD_QUERY_LIMITED_INFORMATION = 0x0800;
    public const uint PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;

    // winerror.h, minwinbase.h
    public const int ERROR_FILE_NOT_FOUND = 2;
    public const int ERROR_PATH_NOT_FOUND = 3;
    public const int ERROR_ACCESS_DENIED = 5;
    public const int ERROR_INVALID_PARAMETER = 87;
    public const uint STILL_ACTIVE = 259;

    private const string Library = "kernel32";

    [LibraryImport(Library), SuppressGCTransition]
    public static partial uint GetCurrentThreadId();

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int GetThreadTimes(nint thread, FileTime* creation, FileTime* exit, FileTime* kernel, FileTime* user);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int GetProcessTimes(nint process, FileTime* creation, FileTime* exit, FileTime* kernel, FileTime* user);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int QueryThreadCycleTime(nint thread, ulong* cycles);

    [LibraryImport(Library)]
    public static partial int QueryProcessCycleTime(nint process, ulong* cycles);

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint OpenThread(uint access, int inherit, uint threadId);

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint OpenProcess(uint access, int inherit, uint processId);

    [LibraryImport(Library)]
    public static partial uint GetThreadId(nint thread);

    [LibraryImport(Library)]
    public static partial uint GetProcessId(nint process);

    [LibraryImport(Library)]
    public static partial uint GetProcessIdOfThread(nint thread);

    [LibraryImport(Library)]
    public static partial int GetExitCodeThread(nint thread, uint* code);

    [LibraryImport(Library)]
    public static partial int GetExitCodeProcess(nint process, uint* code);

    [LibraryImport(Library)]
    public static partial int CloseHandle(nint handle);

    [LibraryImport(Library)]
    public static partial ushort GetActiveProcessorGroupCount();

    [LibraryImport(Library), SuppressGCTransition]
    public static partial void GetCurrentProcessorNumberEx(ProcessorNumber* number);

    /// <summary>Sets the affinity mask. Returns the previous mask, or 0 on failure.</summary>
    [LibraryImport(Library)]
    public static partial nuint SetThreadAffinityMask(nint thread, nuint mask);
}

/// <summary>PROCESSOR_NUMBER of winnt.h: a group of up to 64 CPUs, and the number of one of them.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ProcessorNumber
{
    public ushort Group;
    public byte Number;
    public byte Reserved;
}

/// <summary>FILETIME of minwinbase.h: units of 100 ns in two halves. It is not a <see cref="long"/>, because a FILETIME need not be aligned
/// to eight bytes.</summary>
internal struct FileTime
{
    private const long NanosecondsPerUnit = 100;

    public uint Low;
    public uint High;

    /// <summary>The time in nanoseconds, saturated at 292 years.</summary>
    public readonly long Nanoseconds => ToNanoseconds(((ulong)High << 32) | Low);

    /// <summary>Converts the 100 ns units of a LARGE_INTEGER to nanoseconds, saturated at 292 years.</summary>
    public static long ToNanoseconds(ulong units) =>
        units <= long.MaxValue / NanosecondsPerUnit ? (long)units * NanosecondsPerUnit : long.MaxValue;
}
