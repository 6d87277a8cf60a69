using System.Diagnostics.CodeAnalysis;

namespace Picollo.Cpu.Linux;

/// <summary><c>getrusage(2)</c>: user and kernel time, and what else the kernel counts for a thread or process, in one call.</summary>
internal static unsafe class LinuxResourceUsage
{
    public static bool TryGet(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? problem)
    {
        // The clock first: see the remarks on LinuxCpuTimes.
        bool accounted = owner != ResourceOwner.Thread || LinuxCpuTimes.TryGetClock(LibC.ClockThreadCpuTime, out _);
        int who = owner switch
        {
            ResourceOwner.Thread => LibC.UsageOfThread,
            ResourceOwner.Process => LibC.UsageOfSelf,
            _ => LibC.UsageOfChildren,
        };
        bool known = TryRead(who, out LibC.ResourceUsage read) && accounted;
        usage = known ? read.ToUsage() : default;
        problem = known ? null : WhyNot(owner);
        return known;
    }

    /// <param name="who">LibC.UsageOf…</param>
    /// <param name="usage">All 0 where false is returned.</param>
    public static bool TryRead(int who, out LibC.ResourceUsage usage)
    {
        LibC.ResourceUsage read = default;
        bool known = LibC.GetResourceUsage(who, &read) == 0;
        usage = read;
        return known;
    }

    public static string WhyNot(ResourceOwner owner) => owner switch
    {
        ResourceOwner.Thread =>
            "The kernel refused clock_gettime(CLOCK_THREAD_CPUTIME_ID) or getrusage(RUSAGE_THREAD): probably a seccomp filter; allow both.",
        ResourceOwner.Process => "The kernel refused getrusage(RUSAGE_SELF): probably a seccomp filter; allow it.",
        _ => "The kernel refused getrusage(RUSAGE_CHILDREN): probably a seccomp filter; allow it.",
    };
}
