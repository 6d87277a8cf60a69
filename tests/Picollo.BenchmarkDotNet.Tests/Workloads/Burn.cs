using Picollo.Cpu;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>Work of a known CPU time.</summary>
public static class Burn
{
    /// <summary>Takes so much of the calling thread's CPU time, however long that lasts on a machine with other work.</summary>
    public static void Milliseconds(int milliseconds)
    {
        long end = CpuUsage.GetByThread().TotalNanoseconds + (milliseconds * 1_000_000L);
        while (CpuUsage.GetByThread().TotalNanoseconds < end)
        {
            CpuUtils.AddChain256(20);
        }
    }
}
