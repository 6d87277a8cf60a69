namespace Picollo.PerfEvent;

/// <summary>STAND-IN until the native library has the function.</summary>
internal static class PerfCounterNumbers
{
    public static bool TryGet(out uint fixedCounters, out uint programmableCounters)
    {
        (fixedCounters, programmableCounters) = (0, 0);
        return false;
    }
}
