using System.Runtime.InteropServices;

namespace Picollo.Cpu.MacOS;

/// <content>The calls that tell of the machine as a whole.</content>
internal static unsafe partial class LibSystem
{
    // time.h: goes on while the machine sleeps
    public const int ClockMonotonicRaw = 4;

    // mach/processor_info.h
    public const int ProcessorCpuLoadInfo = 2;

    // sys/proc_info.h. The last stands in its private part; kernels have it since macOS 10.14.
    public const int ProcessTaskAllInfo = 2;
    public const int ProcessThreadIds = 28;

    /// <summary>mach_task_self_ of mach/mach_init.h: what the macro mach_task_self() reads.</summary>
    public static uint CurrentTask { get; } = *(uint*)NativeLibrary.GetExport(NativeLibrary.Load(Library), "mach_task_self_");

    /// <summary>mach_host_self(): each call takes a reference, so one is made in the process's life.</summary>
    public static uint Host { get; } = GetHost();

    /// <summary>Fills in an array that is the caller's, to be given back by <see cref="Deallocate"/>: four ticks for each
    /// CPU.</summary>
    [LibraryImport(Library, EntryPoint = "host_processor_info")]
    public static partial int GetProcessorInfo(uint host, int flavor, uint* processors, ProcessorTicks** info, uint* infoInts);

    [LibraryImport(Library, EntryPoint = "vm_deallocate")]
    public static partial int Deallocate(uint task, nuint address, nuint size);

    /// <summary>Returns how many of the three it filled in, or -1.</summary>
    [LibraryImport(Library, EntryPoint = "getloadavg")]
    public static partial int GetLoadAverage(double* averages, int count);

    /// <summary>Returns how many there are (that fit); 0 or less where it failed.</summary>
    [LibraryImport(Library, EntryPoint = "proc_listallpids")]
    public static partial int ListProcesses(int* ids, int bytes);

    [LibraryImport(Library, EntryPoint = "mach_host_self")]
    private static partial uint GetHost();
}
