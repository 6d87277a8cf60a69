using System.Runtime.InteropServices;

namespace Picollo.Interop.Linux;

/// <content>perf_event_open(2) and what is done with its files.</content>
internal static unsafe partial class LibC
{
    // <linux/perf_event.h>
    public const nuint PERF_EVENT_IOC_ENABLE = 0x2400;
    public const nuint PERF_EVENT_IOC_DISABLE = 0x2401;
    public const nuint PERF_IOC_FLAG_GROUP = 1;
    public const nuint PERF_FLAG_FD_CLOEXEC = 8;

    /// <summary>Opens a counter; -1, and the error, where that fails.</summary>
    /// <param name="attributes">struct perf_event_attr.</param>
    /// <param name="thread">0 for the calling thread, -1 for all on the CPU.</param>
    /// <param name="cpu">-1 for any.</param>
    /// <param name="group">The file of the group's leader, or -1.</param>
    /// <param name="flags">PERF_FLAG_….</param>
    public static int perf_event_open(void* attributes, int thread, int cpu, int group, nuint flags)
    {
        if (SYS_perf_event_open is not { } number)
        {
            Marshal.SetLastPInvokeError(Errno.ENOSYS);
            return -1;
        }

        return (int)syscall(number, (nint)attributes, thread, cpu, group, (nint)flags);
    }

    /// <summary>read(2) without a GC transition: reading a counter neither blocks nor takes a microsecond.</summary>
    [LibraryImport(Library, EntryPoint = "read")]
    [SuppressGCTransition]
    public static partial nint read_counter(int file, void* buffer, nuint length);
}
