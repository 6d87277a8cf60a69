using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Samples.Precision;

/// <summary>A way to read CPU time, as nanoseconds in total.</summary>
/// <param name="Name">As it is written in code.</param>
/// <param name="Read">Reads it.</param>
public sealed record Reader(string Name, Func<long> Read)
{
    /// <summary>Those that this system has.</summary>
    public static IReadOnlyList<Reader> All { get; } =
    [
        new("CpuUsage.GetByThread()", () => CpuUsage.GetByThread().TotalNanoseconds),
        new("CpuUsageReader.GetThreadTimeNanoseconds()", CpuUsageReader.GetThreadTimeNanoseconds),
        new("CpuUsage.GetByProcess()", () => CpuUsage.GetByProcess().TotalNanoseconds),
        new("CpuUsageReader.GetProcessTimeNanoseconds()", CpuUsageReader.GetProcessTimeNanoseconds),
        .. OperatingSystem.IsLinux() ? [new Reader("getrusage(RUSAGE_THREAD) alone", BareResourceUsage.ReadNanoseconds)] : Array.Empty<Reader>(),
        new("Environment.CpuUsage", () => Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick),
        new("Process.TotalProcessorTime", ReadProcess),
    ];

    private static long ReadProcess()
    {
        // The object keeps what it read, so each reading takes a new one.
        using Process self = Process.GetCurrentProcess();
        return self.TotalProcessorTime.Ticks * TimeSpan.NanosecondsPerTick;
    }
}
