using System.Runtime.InteropServices;

namespace Picollo.Interop.Linux;

/// <content>Where and how threads are scheduled.</content>
internal static unsafe partial class LibC
{
    // <linux/sched.h>
    public const int SCHED_FIFO = 1;
    public const int SCHED_RESET_ON_FORK = 0x40000000;

    // <linux/prctl.h>
    public const int PR_SET_TIMERSLACK = 29;

    [LibraryImport(Library, SetLastError = true)]
    public static partial int sched_getaffinity(int thread, nuint bytes, ulong* mask);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int sched_setaffinity(int thread, nuint bytes, ulong* mask);

    [LibraryImport(Library)]
    public static partial nint pthread_self();

    /// <summary>Returns the error number instead of leaving it. By the threads library: musl's sched_setscheduler(2) always
    /// fails.</summary>
    [LibraryImport(Library)]
    public static partial int pthread_setschedparam(nint thread, int policy, int* priority);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int prctl(int option, nuint argument, nuint unused3, nuint unused4, nuint unused5);
}
