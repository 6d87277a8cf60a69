using System.Diagnostics.CodeAnalysis;
using System.Runtime.Versioning;
using Picollo.Interop.MacOS;

namespace Picollo.Cpu.MacOS;

/// <summary>Calls <c>getrusage</c>, which macOS supports only for processes.</summary>
internal static unsafe class MacResourceUsage
{
    [SupportedOSPlatform("macos")]
    public static bool TryGet(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? reason)
    {
        if (owner == ResourceOwner.Thread)
        {
            usage = default;
            reason = "macOS counts page faults and context switches per process, not per thread. Read those of the process. "
                + "CpuUsage.GetByThread() returns the CPU time of the thread.";
            return false;
        }

        DarwinResourceUsage read = default;
        bool known = LibSystem.getrusage(owner == ResourceOwner.Process ? LibSystem.RUSAGE_SELF : LibSystem.RUSAGE_CHILDREN, &read) == 0;
        usage = known ? ToUsage(read) : default;
        reason = known ? null : "macOS refused getrusage.";
        return known;
    }

    internal static ResourceUsage ToUsage(in DarwinResourceUsage usage) => new()
    {
        Cpu = new CpuUsage(usage.User.Nanoseconds, usage.Kernel.Nanoseconds),
        MaxResidentBytes = usage.MaxResidentBytes,
        MinorPageFaults = usage.MinorFaults,
        MajorPageFaults = usage.MajorFaults,
        BlockInputOperations = usage.BlockInputs,
        BlockOutputOperations = usage.BlockOutputs,
        ReceivedSignals = usage.Signals,
        VoluntaryContextSwitches = usage.VoluntarySwitches,
        InvoluntaryContextSwitches = usage.InvoluntarySwitches,
    };
}
