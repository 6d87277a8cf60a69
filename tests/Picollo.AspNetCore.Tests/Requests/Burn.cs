using Picollo.Cpu;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Takes CPU time on the calling thread.</summary>
internal static class Burn
{
    /// <returns>What it took, in milliseconds.</returns>
    public static double Milliseconds(double amount)
    {
        long start = CpuUsageReader.GetThreadTime();
        long taken;
        do
        {
            Thread.SpinWait(200);
            taken = CpuUsageReader.GetThreadTime() - start;
        }
        while (taken < amount * 1e6);
        return taken / 1e6;
    }
}
