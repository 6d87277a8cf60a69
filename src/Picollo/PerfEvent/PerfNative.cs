namespace Picollo.PerfEvent;

/// <summary>STAND-IN until the native library has the functions.</summary>
internal static unsafe class PerfNative
{
    public static readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> ReadCounters = null;
}
