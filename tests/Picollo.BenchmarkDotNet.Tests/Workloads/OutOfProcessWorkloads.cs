using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet.Tests.Counters;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>Benchmarks with all measures, for a separate process.</summary>
[CpuUsageDiagnoser, HdrPercentiles]
[PerfCounters(PerfSoftwareCounterId.PageFaults, PerfSoftwareCounterId.TaskClock)]
public class OutOfProcessWorkloads
{
    [Params(1, 3)]
    public int Milliseconds { get; set; }

    [Benchmark]
    public void Burns() => Burn.Milliseconds(Milliseconds);
}

[PerfCounters(PerfHardwareCounterId.Instructions), KnownCounters]
public class OutOfProcessKnownWorkloads
{
    [Benchmark]
    public void Seven() => KnownCounts.Add("Instructions", 7);

    [Benchmark]
    [Arguments(2)]
    public async Task<int> Awaited(int times)
    {
        await Task.Yield();
        KnownCounts.Add("Instructions", (ulong)times * 7);
        return times;
    }
}
