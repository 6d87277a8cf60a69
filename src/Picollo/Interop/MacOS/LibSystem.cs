namespace Picollo.Interop.MacOS;

/// <summary>The macOS functions that report the CPU time of threads, processes and the whole machine. All signatures are
/// blittable.</summary>
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

    // Every program on macOS is linked with this name, so it is already loaded, independent of the search path.
    private const string Library = "/usr/lib/libSystem.B.dylib";

    [LibraryImport(Library), SuppressGCTransition]
    public static partial ulong clock_gettime_nsec_np(int clock);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int getrusage(int who, DarwinResourceUsage* usage);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial nint pthread_self();

    /// <summary>Returns the thread's port without a new reference, so it need not be released. (<c>mach_thread_self</c> takes a reference
    /// at each call, which leaks without <c>mach_port_deallocate</c>.)</summary>
    [LibraryImport(Library), SuppressGCTransition]
    public static partial uint pthread_mach_thread_np(nint thread);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int thread_info(uint port, int flavor, ThreadBasicInfo* info, uint* count);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int pthread_threadid_np(nint thread, ulong* id);

    [LibraryImport(Library)]
    public static partial int mach_timebase_info(MachTimebase* timebase);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int sysctlbyname(string name, void* value, nuint* size, void* newValue, nuint newSize);

    /// <summary>Returns the number of bytes that it wrote; 0 or less on failure.</summary>
    [LibraryImport(Library, SetLastError = true)]
    public static partial int proc_pidinfo(int processId, int flavor, ulong argument, void* buffer, int size);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int proc_pid_rusage(int processId, int flavor, ResourceUsageInfo* usage);

    // time.h: continues while the machine sleeps
    public const int CLOCK_MONOTONIC_RAW = 4;

    // mach/processor_info.h
    public const int PROCESSOR_CPU_LOAD_INFO = 2;

    // sys/proc_info.h. PROC_PIDLISTTHREADIDS is in its private part; kernels have it since macOS 10.14.
    public const int PROC_PIDTASKALLINFO = 2;
    public const int PROC_PIDLISTTHREADIDS = 28;

    /// <summary>mach_task_self_ of mach/mach_init.h, which the macro mach_task_self() reads.</summary>
    public static uint CurrentTask { get; } = *(uint*)NativeLibrary.GetExport(NativeLibrary.Load(Library), "mach_task_self_");

    /// <summary>The result of mach_host_self(). Each call takes a reference, so it is called once per process.</summary>
    public static uint Host { get; } = mach_host_self();

    /// <summary>Returns an array that the caller must free with <see cref="vm_deallocate"/>: four tick counts for each CPU.</summary>
    [LibraryImport(Library)]
    public static partial int host_processor_info(uint host, int flavor, uint* processors, ProcessorTicks** info, uint* infoInts);

    [LibraryImport(Library)]
    public static partial int vm_deallocate(uint task, nuint address, nuint size);

    /// <summary>Returns the number of averages that it wrote, or -1.</summary>
    [LibraryImport(Library)]
    public static partial int getloadavg(double* averages, int count);

    /// <summary>Returns the number of IDs that it wrote; 0 or less on failure.</summary>
    [LibraryImport(Library)]
    public static partial int proc_listallpids(int* ids, int bytes);

    [LibraryImport(Library)]
    private static partial uint mach_host_self();
}
