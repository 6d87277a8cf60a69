using System.Diagnostics.CodeAnalysis;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Calls <c>getrusage(2)</c>, which returns user and kernel time and the other counters of a thread or process.</summary>
internal static unsafe class LinuxResourceUsage
{
    private const int BytesPerKibibyte = 1024;

    public static bool TryGet(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? reason)
    {
        // Reads the clock first: see the remarks on LinuxCpuTimes.
        bool accounted = owner != ResourceOwner.Thread || LinuxCpuTimes.TryGetClock(LibC.CLOCK_THREAD_CPUTIME_ID, out _);
        int who = owner switch
        {
            ResourceOwner.Thread => LibC.RUSAGE_THREAD,
            ResourceOwner.Process => LibC.RUSAGE_SELF,
            _ => LibC.RUSAGE_CHILDREN,
        };
        bool known = TryRead(who, out LibC.Rusage read) && accounted;
        usage = known ? ToUsage(read) : default;
        reason = known ? null : GetReason(owner);
        return known;
    }

    /// <summary>Calls getrusage(2) with one of LibC.RUSAGE_…; all fields are 0 on failure.</summary>
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

    public static string GetReason(ResourceOwner owner) => owner switch
    {
        ResourceOwner.Thread =>
            "The kernel refused clock_gettime(CLOCK_THREAD_CPUTIME_ID) or getrusage(RUSAGE_THREAD), probably because "
            + "of a seccomp filter. Allow both.",
        ResourceOwner.Process => "The kernel refused getrusage(RUSAGE_SELF), probably because of a seccomp filter. Allow the call.",
        _ => "The kernel refused getrusage(RUSAGE_CHILDREN), probably because of a seccomp filter. Allow the call.",
    };
}
