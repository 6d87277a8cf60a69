using System.Runtime.InteropServices;

namespace Picollo.Interop.MacOS;

/// <content>The calls that tell of the machine as a whole.</content>
internal static unsafe partial class LibSystem
{
    // time.h: goes on while the machine sleeps
    public const int CLOCK_MONOTONIC_RAW = 4;

    // mach/processor_info.h
    public const int PROCESSOR_CPU_LOAD_INFO = 2;

    // sys/proc_info.h. The last stands in its private part; kernels have it since macOS 10.14.
    public const int PROC_PIDTASKALLINFO = 2;
    public const int PROC_PIDLISTTHREADIDS = 28;

    /// <summary>mach_task_self_ of mach/mach_init.h: what the macro mach_task_self() reads.</summary>
    public static uint CurrentTask { get; } = *(uint*)NativeLibrary.GetExport(NativeLibrary.Load(Library), "mach_task_self_");

    /// <summary>mach_host_self(): each call takes a reference, so one is made in the process's life.</summary>
    public static uint Host { get; } = mach_host_self();

    /// <summary>Fills in an array that is the caller's, to be given back by <see cref="vm_deallocate"/>: four ticks for each
    /// CPU.</summary>
    [LibraryImport(Library)]
    public static partial int host_processor_info(uint host, int flavor, uint* processors, ProcessorTicks** info, uint* infoInts);

    [LibraryImport(Library)]
    public static partial int vm_deallocate(uint task, nuint address, nuint size);

    /// <summary>Returns how many of the three it filled in, or -1.</summary>
    [LibraryImport(Library)]
    public static partial int getloadavg(double* averages, int count);

    /// <summary>Returns how many there are (that fit); 0 or less where it failed.</summary>
    [LibraryImport(Library)]
    public static partial int proc_listallpids(int* ids, int bytes);

    [LibraryImport(Library)]
    private static partial uint mach_host_self();
}
