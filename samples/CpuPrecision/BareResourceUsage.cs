using System.Runtime.InteropServices;

namespace Picollo.Samples.Precision;

/// <summary>Calls <c>getrusage(RUSAGE_THREAD)</c> alone, as Universe.CpuUsage does. It returns the time that the kernel has
/// accounted up to the last scheduler tick.</summary>
internal static unsafe partial class BareResourceUsage
{
    // <linux/resource.h>
    private const int UsageOfThread = 1;
    private const int Longs = 18;

    /// <summary>Returns the sum of user and kernel time.</summary>
    public static long ReadNanoseconds()
    {
        // struct rusage: two times as seconds and microseconds, then fourteen counts.
        long* usage = stackalloc long[Longs];
        return GetResourceUsage(UsageOfThread, usage) == 0
            ? ((usage[0] + usage[2]) * 1_000_000_000) + ((usage[1] + usage[3]) * 1_000)
            : 0;
    }

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static partial int GetResourceUsage(int who, long* usage);
}
