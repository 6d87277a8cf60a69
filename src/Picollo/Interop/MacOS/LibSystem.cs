using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Picollo.Interop.MacOS;

/// <summary>The macOS calls that tell CPU time. Blittable.</summary>
[SupportedOSPlatform("macos")]
internal static unsafe partial class LibSystem
{
    // time.h, sys/resource.h
    public const int CLOCK_THREAD_CPUTIME_ID = 16;
    public const int RUSAGE_SELF = 0;
    public const int RUSAGE_CHILDREN = -1;
    public const int RUSAGE_INFO_V0 = 0;

    // mach/thread_info.h
    public const int THREAD_BASIC_INFO = 3;

    // sys/proc_info.h
    public const int PROC_PIDTHREADID64INFO = 15;

    // sys/errno.h
    public const int EPERM = 1;
    public const int ESRCH = 3;
    public const int EAGAIN = 35;

    // The name that every program on macOS is linked with: loaded already, whatever the search path.
    private const string Library = "/usr/lib/libSystem.B.dylib";

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial ulong clock_gettime_nsec_np(int clock);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int getrusage(int who, DarwinResourceUsage* usage);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial nint pthread_self();

    /// <summary>The thread's port, without a reference to it: nothing to give back. (<c>mach_thread_self</c> takes one at each call,
    /// and who forgets <c>mach_port_deallocate</c> leaks it.)</summary>
    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial uint pthread_mach_thread_np(nint thread);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int thread_info(uint port, int flavor, ThreadBasicInfo* info, uint* count);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int pthread_threadid_np(nint thread, ulong* id);

    [LibraryImport(Library)]
    public static partial int mach_timebase_info(MachTimebase* timebase);

    /// <summary>Returns how many bytes it wrote; 0 or less where it failed.</summary>
    [LibraryImport(Library, SetLastError = true)]
    public static partial int proc_pidinfo(int processId, int flavor, ulong argument, void* buffer, int size);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int proc_pid_rusage(int processId, int flavor, ResourceUsageInfo* usage);
}
