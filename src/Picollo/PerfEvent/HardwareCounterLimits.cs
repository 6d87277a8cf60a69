using Picollo.Interop.Linux;
using Picollo.Interop.Native;

namespace Picollo.PerfEvent;

/// <summary>Determines the number of hardware counters of a CPU.</summary>
internal static unsafe class HardwareCounterLimits
{
    // Determined once: behind a hypervisor CPUID takes microseconds, and the result does not change. A result that was affected by a lack
    // of file descriptors is not cached.
    private static StrongBox<(uint Fixed, uint Programmable)>? _known;

    public static bool TryGet(out uint fixedCounters, out uint programmableCounters)
    {
        (fixedCounters, programmableCounters) = _known is { } known ? known.Value : Find();
        return fixedCounters + programmableCounters > 0;
    }

    /// <summary>Returns the largest number of counters that can be opened as one pinned group. The caller closes them.</summary>
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
        NativeShim shim = NativeShim.Current;
        bool isFinal = !shim.CanRetry;
        if ((shim.CountPmuCounters == null || shim.CountPmuCounters(&fixedCounters, &programmable) == 0)
            && OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture == Architecture.Arm64)
        {
            (fixedCounters, programmable) = FindOnArm(out isFinal);
        }

        if (isFinal)
        {
            _known = new((fixedCounters, programmable));
        }

        return (fixedCounters, programmable);
    }

    /// <summary>Tries to open counters. arm64 hides PMCR_EL0.N from user code, and sysfs does not report it, but the kernel refuses a group
    /// that is larger than the PMU. The cycle counter is the fixed one. The others count any event, here mispredicted branches.</summary>
    /// <param name="isFinal">False if the file descriptors ran out.</param>
    private static (uint Fixed, uint Programmable) FindOnArm(out bool isFinal)
    {
        int error = 0;
        var files = new List<PerfEventFile>();
        try
        {
            bool TryOpen(PerfHardwareCounterId id)
            {
                var attributes = new PerfEventAttributes(
                    new(PerfTypeId.Hardware, (ulong)id), PerfEventFlags.Disabled | PerfEventFlags.ExcludeKernel);
                PerfEventFile? file = PerfEventFile.TryOpen(attributes, thread: 0, cpu: -1, files.Count > 0 ? files[0] : null, out error);
                if (file is not null)
                {
                    files.Add(file);
                }

                return file is not null;
            }

            (uint, uint) found = TryOpen(PerfHardwareCounterId.CpuCycles)
                ? (1u, LargestGroup(() => TryOpen(PerfHardwareCounterId.BranchMisses), limit: 31))
                : (0u, 0u);
            isFinal = error is not (Errno.EMFILE or Errno.ENFILE);
            return found;
        }
        finally
        {
            files.ForEach(file => file.Dispose());
        }
    }
}
