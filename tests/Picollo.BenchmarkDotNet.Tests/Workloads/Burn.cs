using Picollo.Cpu;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>Work of a known CPU time.</summary>
public static class Burn
{
    /// <summary>Uses the specified CPU time on the calling thread. The elapsed time may be longer on a busy machine.</summary>
    public static void Milliseconds(int milliseconds)
    {
        long end = CpuUsageReader.GetByThread().TotalNanoseconds + (milliseconds * 1_000_000L);
        while (CpuUsageReader.GetByThread().TotalNanoseconds < end)
        {
            CpuUtils.AddChain256(20);
        }
    }
}
