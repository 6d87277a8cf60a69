using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Samples.Precision;

/// <summary>A way to read CPU time.</summary>
/// <param name="Name">The name of the call in code.</param>
/// <param name="Read">Returns the total CPU time, in nanoseconds.</param>
public sealed record Reader(string Name, Func<long> Read)
{
    /// <summary>The readers that are available on this system.</summary>
    public static IReadOnlyList<Reader> All { get; } =
    [
        new("CpuUsageReader.GetByThread()", () => CpuUsageReader.GetByThread().TotalNanoseconds),
        new("CpuUsageReader.GetThreadTimeNanoseconds()", CpuUsageReader.GetThreadTimeNanoseconds),
        new("CpuUsageReader.GetByProcess()", () => CpuUsageReader.GetByProcess().TotalNanoseconds),
        new("CpuUsageReader.GetProcessTimeNanoseconds()", CpuUsageReader.GetProcessTimeNanoseconds),
        .. OperatingSystem.IsLinux() ? [new Reader("getrusage(RUSAGE_THREAD) alone", BareResourceUsage.ReadNanoseconds)] : Array.Empty<Reader>(),
        new("Environment.CpuUsage", () => Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick),
        new("Process.TotalProcessorTime", ReadProcess),
    ];

    private static long ReadProcess()
    {
        // The object caches its readings, so each reading needs a new object.
        using Process self = Process.GetCurrentProcess();
        return self.TotalProcessorTime.Ticks * TimeSpan.NanosecondsPerTick;
    }
}
