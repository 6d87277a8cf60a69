using System.Runtime.InteropServices;
using Picollo.Timing;

namespace Picollo.Tests.Cpu;

/// <summary>The resolutions of CPU time on this system.</summary>
internal static class Steps
{
    /// <summary>The resolution of user and kernel time: the scheduler tick of Windows is 15.6 ms (10 ms on Wine), and Linux reports the times
    /// of other processes in units of 10 ms.</summary>
    public static TimeSpan OfSplit { get; } = TimeSpan.FromMilliseconds(16);

    /// <summary>The resolution of totals, which come from the cycle counter on Windows. Wine does not count the cycles of a
    /// thread.</summary>
    public static TimeSpan OfTotal { get; } =
        OperatingSystem.IsWindows() && (IsWine || !CycleClock.IsCycleCounter) ? OfSplit : TimeSpan.FromMilliseconds(1);

    /// <summary>Whether this Windows is Wine.</summary>
    public static bool IsWine =>
        NativeLibrary.TryLoad("ntdll", out nint ntdll) && NativeLibrary.TryGetExport(ntdll, "wine_get_version", out _);

    /// <summary>Asserts that the reading equals the burnt time, with a tolerance of 5 %, a step at either end, and the time of the calls
    /// around a burn and of a thread start. The time that a burn excludes may or may not be counted.</summary>
    public static void ShouldBeAbout(TimeSpan read, TimeSpan burnt, TimeSpan step)
    {
        TimeSpan around = TimeSpan.FromMilliseconds(3);
        read.Should().BeGreaterThan(burnt * 0.95 - (2 * step)).And.BeLessThan(burnt * 1.05 + (2 * step) + around + Burn.ExcludedTime);
    }

    /// <summary>Converts to a <see cref="TimeSpan"/>, truncated to 100 ns.</summary>
    public static TimeSpan Nanoseconds(long nanoseconds) => TimeSpan.FromTicks(nanoseconds / TimeSpan.NanosecondsPerTick);
}
