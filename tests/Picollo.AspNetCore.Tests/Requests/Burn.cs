using Picollo.Cpu;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Uses CPU time on the calling thread.</summary>
internal static class Burn
{
    /// <returns>The CPU time, in milliseconds.</returns>
    public static double Milliseconds(double amount)
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        long taken;
        do
        {
            Thread.SpinWait(200);
            taken = CpuUsageReader.GetThreadTimeNanoseconds() - start;
        }
        while (taken < amount * 1e6);
        return taken / 1e6;
    }
}
