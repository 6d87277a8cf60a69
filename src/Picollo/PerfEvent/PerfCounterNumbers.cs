using Picollo.Timing;

namespace Picollo.PerfEvent;

/// <summary>How many counters the CPU says that it has.</summary>
internal static unsafe class PerfCounterNumbers
{
    /// <summary>By CPUID, which only x64 has; false where it tells of none, and where there is no native library to ask.</summary>
    public static bool TryGet(out uint fixedCounters, out uint programmableCounters)
    {
        uint numberFixed = 0, numberProgrammable = 0;
        bool isTold = NativeShim.Current.CountPmuCounters != null
            && NativeShim.Current.CountPmuCounters(&numberFixed, &numberProgrammable) != 0;
        (fixedCounters, programmableCounters) = (numberFixed, numberProgrammable);
        return isTold;
    }
}
