using System.Runtime.InteropServices;

namespace Picollo.Jitter.Linux;

/// <summary>The C library's calls that make a thread a measuring one, and let it measure. Blittable.</summary>
internal static unsafe partial class LibC
{
    // <linux/time.h>, <linux/sched.h>, <linux/prctl.h>, <asm-generic/mman-common.h>
    public const int ClockMonotonic = 1;
    public const int TimerAbsolute = 1;
    public const int FirstInFirstOut = 1; // SCHED_FIFO
    public const int ResetOnFork = 0x40000000; // SCHED_RESET_ON_FORK
    public const int SetTimerSlack = 29;
    public const int ProtectReadWrite = 3;
    public const int MapPrivateAnonymous = 0x22;

    // <asm-generic/errno-base.h>
    public const int NotPermitted = 1; // EPERM
    public const int InvalidArgument = 22; // EINVAL

    private const string Library = "libc";

    [LibraryImport(Library, EntryPoint = "clock_nanosleep")]
    public static partial int Sleep(int clock, int flags, Cpu.Linux.LibC.TimeSpec* until, Cpu.Linux.LibC.TimeSpec* left);

    [LibraryImport(Library, EntryPoint = "sched_getaffinity", SetLastError = true)]
    public static partial int GetAffinity(int thread, nuint bytes, ulong* mask);

    [LibraryImport(Library, EntryPoint = "sched_setaffinity", SetLastError = true)]
    public static partial int SetAffinity(int thread, nuint bytes, ulong* mask);

    // By the threads library: musl has no sched_setscheduler(2). The error is what it returns.
    [LibraryImport(Library, EntryPoint = "pthread_self")]
    public static partial nint CurrentThread();

    [LibraryImport(Library, EntryPoint = "pthread_setschedparam")]
    public static partial int SetScheduling(nint thread, int policy, int* priority);

    [LibraryImport(Library, EntryPoint = "prctl", SetLastError = true)]
    public static partial int ControlProcess(int option, nuint argument, nuint unused3, nuint unused4, nuint unused5);

    [LibraryImport(Library, EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Map(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport(Library, EntryPoint = "munmap", SetLastError = true)]
    public static partial int Unmap(nint address, nuint length);

    [LibraryImport(Library, EntryPoint = "mlock", SetLastError = true)]
    public static partial int LockMemory(nint address, nuint length);

    [LibraryImport(Library, EntryPoint = "munlock", SetLastError = true)]
    public static partial int UnlockMemory(nint address, nuint length);
}
