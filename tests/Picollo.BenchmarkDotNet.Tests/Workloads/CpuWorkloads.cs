using BenchmarkDotNet.Attributes;
using Picollo.Cpu;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

[CpuUsageDiagnoser, PerfCounters(PerfSoftwareCounterId.TaskClock)]
public class CpuWorkloads
{
    [Benchmark]
    public void Burns() => Burn.Milliseconds(2);

    [Benchmark]
    public void Sleeps() => Thread.Sleep(5);

    [Benchmark]
    public void BurnsOnTwo()
    {
        Thread other = new(() => Burn.Milliseconds(2));
        other.Start();
        Burn.Milliseconds(2);
        other.Join();
    }

    [Benchmark]
    public async Task BurnsElsewhere()
    {
        await Task.Delay(1).ConfigureAwait(false);
        Burn.Milliseconds(2);
    }
}

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

/// <summary>Work with a documented number of instructions.</summary>
[PerfCounters(PerfHardwareCounterId.Instructions)]
public class ChainWorkload
{
    public const int Rounds = 1000;

    [Benchmark]
    public ulong Chain() => CpuUtils.AddChain256(Rounds);
}
