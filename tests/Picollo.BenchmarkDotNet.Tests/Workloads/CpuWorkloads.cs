using BenchmarkDotNet.Attributes;
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

/// <summary>What the kernel counts.</summary>
[PerfCounters(PerfSoftwareCounterId.PageFaults, PerfSoftwareCounterId.ContextSwitches)]
public class KernelWorkloads
{
    public const int Pages = 256;

    [Benchmark]
    public void TouchesPages()
    {
        using var memory = System.IO.MemoryMappedFiles.MemoryMappedFile.CreateNew(null, Pages * Environment.SystemPageSize);
        using var view = memory.CreateViewAccessor();
        for (int page = 0; page < Pages; page++)
        {
            view.Write((long)page * Environment.SystemPageSize, (byte)1);
        }
    }

    [Benchmark]
    public void Sleeps() => Thread.Sleep(1);
}

/// <summary>The work of which the documents know the instructions.</summary>
[PerfCounters(PerfHardwareCounterId.Instructions)]
public class ChainWorkload
{
    public const int Rounds = 1000;

    [Benchmark]
    public ulong Chain() => CpuUtils.AddChain256(Rounds);
}
