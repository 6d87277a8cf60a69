using System.Diagnostics.CodeAnalysis;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary><c>getrusage(2)</c>: user and kernel time, and what else the kernel counts for a thread or process, in one call.</summary>
internal static unsafe class LinuxResourceUsage
{
    private const int BytesPerKibibyte = 1024;

    public static bool TryGet(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? reason)
    {
        // The clock first: see the remarks on LinuxCpuTimes.
        bool accounted = owner != ResourceOwner.Thread || LinuxCpuTimes.TryGetClock(LibC.CLOCK_THREAD_CPUTIME_ID, out _);
        int who = owner switch
        {
            ResourceOwner.Thread => LibC.RUSAGE_THREAD,
            ResourceOwner.Process => LibC.RUSAGE_SELF,
            _ => LibC.RUSAGE_CHILDREN,
        };
        bool known = TryRead(who, out LibC.Rusage read) && accounted;
        usage = known ? ToUsage(read) : default;
        reason = known ? null : WhyNot(owner);
        return known;
    }

    /// <summary>Calls getrusage(2) with one of LibC.RUSAGE_…; all fields are 0 where it fails.</summary>
    public static bool TryRead(int who, out LibC.Rusage usage)
    {
        LibC.Rusage read = default;
        bool known = LibC.getrusage(who, &read) == 0;
        usage = read;
        return known;
    }

    public static CpuUsage ToCpuUsage(in LibC.Rusage usage) => new(usage.User.TotalNanoseconds, usage.Kernel.TotalNanoseconds);

    public static ResourceUsage ToUsage(in LibC.Rusage usage) => new()
    {
        Cpu = ToCpuUsage(usage),
        MaxResidentBytes = usage.MaxResidentKibibytes * BytesPerKibibyte,
        MinorPageFaults = usage.MinorFaults,
        MajorPageFaults = usage.MajorFaults,
        BlockInputOperations = usage.BlockInputs,
        BlockOutputOperations = usage.BlockOutputs,
        ReceivedSignals = usage.Signals,
        VoluntaryContextSwitches = usage.VoluntarySwitches,
        InvoluntaryContextSwitches = usage.InvoluntarySwitches,
    };

    public static string WhyNot(ResourceOwner owner) => owner switch
    {
        ResourceOwner.Thread =>
            "The kernel refused clock_gettime(CLOCK_THREAD_CPUTIME_ID) or getrusage(RUSAGE_THREAD): probably a seccomp filter; allow both.",
        ResourceOwner.Process => "The kernel refused getrusage(RUSAGE_SELF): probably a seccomp filter; allow it.",
        _ => "The kernel refused getrusage(RUSAGE_CHILDREN): probably a seccomp filter; allow it.",
    };
}
