using System.Runtime.InteropServices;
using Picollo.Timing;

namespace Picollo.PerfEvent;

/// <summary>How many hardware counters a CPU has.</summary>
internal static unsafe class PerfCounterNumbers
{
    // Asked once: behind a hypervisor CPUID takes microseconds, and the answer does not change.
    private static readonly Lazy<(uint Fixed, uint Programmable)> Numbers = new(Find);

    public static bool TryGet(out uint fixedCounters, out uint programmableCounters)
    {
        (fixedCounters, programmableCounters) = Numbers.Value;
        return fixedCounters + programmableCounters > 0;
    }

    /// <summary>The most counters that can be opened as one pinned group; what opens one more, and closes all of them at the end.</summary>
    internal static uint LargestGroup(Func<bool> tryOpenAnother, uint limit)
    {
        uint count = 0;
        while (count < limit && tryOpenAnother())
        {
            count++;
        }

        return count;
    }

    private static (uint Fixed, uint Programmable) Find()
    {
        uint fixedCounters = 0, programmable = 0;
        if (NativeShim.Current.CountPmuCounters != null && NativeShim.Current.CountPmuCounters(&fixedCounters, &programmable) != 0)
        {
            return (fixedCounters, programmable);
        }

        return OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? FindOnArm() : (0, 0);
    }

    /// <summary>arm64 keeps PMCR_EL0.N from user code, and sysfs does not tell it; but the kernel refuses a group that is larger than
    /// the PMU. The cycle counter is the fixed one, and of the rest each counts any event, here branches predicted wrongly.</summary>
    private static (uint Fixed, uint Programmable) FindOnArm()
    {
        var files = new List<PerfEventFile>();
        try
        {
            bool TryOpen(PerfHardwareCounterId id)
            {
                var attributes = new PerfEventAttributes
                {
                    Type = PerfEventType.Hardware,
                    Size = PerfEventAttributes.Version1Size,
                    Config = (ulong)id,
                    Flags = PerfEventFlags.Disabled | PerfEventFlags.ExcludeKernel,
                };
                PerfEventFile? file = PerfEventFile.TryOpen(attributes, thread: 0, cpu: -1, files.Count > 0 ? files[0] : null, out _);
                if (file is not null)
                {
                    files.Add(file);
                }

                return file is not null;
            }

            return TryOpen(PerfHardwareCounterId.CpuCycles)
                ? (1u, LargestGroup(() => TryOpen(PerfHardwareCounterId.BranchMisses), limit: 31))
                : (0u, 0u);
        }
        finally
        {
            files.ForEach(file => file.Dispose());
        }
    }
}
