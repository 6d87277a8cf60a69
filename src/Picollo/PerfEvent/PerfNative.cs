using Picollo.Timing;

namespace Picollo.PerfEvent;

/// <summary>The native library's reading of counters; null where there is no library.</summary>
internal static unsafe class PerfNative
{
    public static readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadCounters = NativeShim.Current.ReadPerfCounters;
}
