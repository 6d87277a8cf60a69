using BenchmarkDotNet.Attributes;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Counters;

[PerfCounters(PerfHardwareCounterId.Instructions, PerfHardwareCounterId.CpuCycles), PerfCounters(PerfSoftwareCounterId.PageFaults), KnownCounters]
public class KnownWorkloads
{
    private const int Tens = 10;

    [Benchmark]
    public void Once() => Count(7);

    [Benchmark(OperationsPerInvoke = Tens)]
    public void TenAtOnce()
    {
        for (int i = 0; i < Tens; i++)
        {
            Count(7);
        }
    }

    [Benchmark]
    public void Nothing()
    {
    }

    [Benchmark]
    public async Task<int> Awaited()
    {
        await Task.Yield();
        Count(7);
        return 1;
    }

    private static void Count(ulong instructions)
    {
        KnownCounts.Add("Instructions", instructions);
        KnownCounts.Add("CpuCycles", instructions * 4);
        KnownCounts.Add("PageFaults", 12_345);
    }
}

/// <summary>Three benchmarks: the second one is multiplexed, and the third one is never counted.</summary>
[PerfCounters(PerfHardwareCounterId.Instructions, PerfHardwareCounterId.CpuCycles), KnownCounters]
public class SharedWorkloads
{
    [GlobalSetup(Target = nameof(Whole))]
    public void SetUpWhole() => KnownCounts.Share = 1;

    [Benchmark]
    public void Whole() => KnownCounts.Add("Instructions", 7);

    [GlobalSetup(Target = nameof(Half))]
    public void SetUpHalf() => KnownCounts.Share = 0.5;

    [Benchmark]
    public void Half() => KnownCounts.Add("Instructions", 7);

    [GlobalSetup(Target = nameof(Never))]
    public void SetUpNever() => KnownCounts.Share = 0;

    [Benchmark]
    public void Never() => KnownCounts.Add("Instructions", 7);

    [GlobalCleanup]
    public void CleanUp() => KnownCounts.Share = 1;
}
