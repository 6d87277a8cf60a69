using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Picollo.Cpu.MacOS;

/// <summary>The macOS calls that tell CPU time. Blittable.</summary>
[SupportedOSPlatform("macos")]
internal static unsafe partial class LibSystem
{
    // time.h, sys/resource.h
    public const int ClockThreadCpuTime = 16;
    public const int UsageOfSelf = 0;
    public const int UsageOfChildren = -1;
    public const int ResourceUsageInfoV0 = 0;

    // mach/thread_info.h
    public const int ThreadBasicInfoFlavor = 3;

    // sys/proc_info.h
    public const int ProcessThreadId64Info = 15;

    // sys/errno.h
    public const int ErrorNotPermitted = 1;
    public const int ErrorNoSuchProcess = 3;

    // The name that every program on macOS is linked with: loaded already, whatever the search path.
    private const string Library = "/usr/lib/libSystem.B.dylib";

    [LibraryImport(Library, EntryPoint = "clock_gettime_nsec_np")]
    [SuppressGCTransition]
    public static partial ulong GetClockNanoseconds(int clock);

    [LibraryImport(Library, EntryPoint = "getrusage")]
    [SuppressGCTransition]
    public static partial int GetResourceUsage(int who, DarwinResourceUsage* usage);

    [LibraryImport(Library, EntryPoint = "pthread_self")]
    [SuppressGCTransition]
    public static partial nint GetCurrentThread();

    /// <summary>The thread's port, without a reference to it: nothing to give back. (<c>mach_thread_self</c> takes one at each call,
    /// and who forgets <c>mach_port_deallocate</c> leaks it.)</summary>
    [LibraryImport(Library, EntryPoint = "pthread_mach_thread_np")]
    [SuppressGCTransition]
    public static partial uint GetThreadPort(nint thread);

    [LibraryImport(Library, EntryPoint = "thread_info")]
    [SuppressGCTransition]
    public static partial int GetThreadInfo(uint port, int flavor, ThreadBasicInfo* info, uint* count);

    [LibraryImport(Library, EntryPoint = "pthread_threadid_np")]
    [SuppressGCTransition]
    public static partial int GetThreadId(nint thread, ulong* id);

    [LibraryImport(Library, EntryPoint = "mach_timebase_info")]
    public static partial int GetTimebase(MachTimebase* timebase);

    /// <summary>Returns how many bytes it wrote; 0 or less where it failed.</summary>
    [LibraryImport(Library, EntryPoint = "proc_pidinfo", SetLastError = true)]
    public static partial int GetProcessInfo(int processId, int flavor, ulong argument, void* buffer, int size);

    [LibraryImport(Library, EntryPoint = "proc_pid_rusage", SetLastError = true)]
    public static partial int GetProcessUsage(int processId, int flavor, ResourceUsageInfo* usage);
}
