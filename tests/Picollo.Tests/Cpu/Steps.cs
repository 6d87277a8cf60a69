using System.Runtime.InteropServices;
using Picollo.Timing;

namespace Picollo.Tests.Cpu;

/// <summary>How finely the system that the tests run on counts CPU time.</summary>
internal static class Steps
{
    /// <summary>Of user and kernel time apart: Windows' scheduler tick is 15.6 ms (Wine's 10), and Linux tells other processes' in
    /// 10 ms.</summary>
    public static TimeSpan OfSplit { get; } = TimeSpan.FromMilliseconds(16);

    /// <summary>Of totals, which come from the cycle counter on Windows. Wine does not count a thread's cycles.</summary>
    public static TimeSpan OfTotal { get; } =
        OperatingSystem.IsWindows() && (IsWine || !CycleClock.IsCycleCounter) ? OfSplit : TimeSpan.FromMilliseconds(1);

    /// <summary>Whether this Windows is Wine.</summary>
    public static bool IsWine =>
        NativeLibrary.TryLoad("ntdll", out nint ntdll) && NativeLibrary.TryGetExport(ntdll, "wine_get_version", out _);

    /// <summary>What was read is what was burnt, to 5 %, a step at either end, and what the calls around a burn and a thread's start
    /// take. What a burn leaves out may be counted or not.</summary>
    public static void ShouldBeAbout(TimeSpan read, TimeSpan burnt, TimeSpan step)
    {
        TimeSpan around = TimeSpan.FromMilliseconds(3);
        read.Should().BeGreaterThan(burnt * 0.95 - (2 * step)).And.BeLessThan(burnt * 1.05 + (2 * step) + around + Burn.LeftOut);
    }

    /// <summary>As a <see cref="TimeSpan"/>, cut to its 100 ns.</summary>
    public static TimeSpan Nanoseconds(long nanoseconds) => TimeSpan.FromTicks(nanoseconds / TimeSpan.NanosecondsPerTick);
}
