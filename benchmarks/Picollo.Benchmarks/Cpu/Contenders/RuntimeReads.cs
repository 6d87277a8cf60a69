using System.Diagnostics;

namespace Picollo.Benchmarks.Cpu.Contenders;

internal struct EnvironmentUsage : IRead
{
    public static long Read() => Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick;
}

/// <summary>The object keeps what it has read, so each reading takes a new one.</summary>
internal struct ProcessObject : IRead
{
    public static long Read()
    {
        using Process self = Process.GetCurrentProcess();
        return self.TotalProcessorTime.Ticks * TimeSpan.NanosecondsPerTick;
    }
}
