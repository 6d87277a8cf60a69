using BenchmarkDotNet.Attributes;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

[PerfCounters(PerfSoftwareCounterId.PageFaults)]
public class MergedBase
{
    [Benchmark]
    public void Work()
    {
    }
}

[PerfCounters(PerfSoftwareCounterId.MajorPageFaults), PerfCounters(PerfSoftwareCounterId.EmulationFaults, PerfSoftwareCounterId.TaskClock), CpuUsageDiagnoser]
public class MergedWorkloads : MergedBase;

/// <summary>A benchmark without attributes: only a configuration can request measures.</summary>
[RecordedEngines]
public class PlainWorkload
{
    public static int SetUps { get; private set; }

    public static int CleanUps { get; private set; }

    public static int Calls { get; private set; }

    public static (int SetUps, int CleanUps, int Calls) Counts => (SetUps, CleanUps, Calls);

    public static void Clear() => (SetUps, CleanUps, Calls) = (0, 0, 0);

    [GlobalSetup]
    public void SetUp() => SetUps++;

    [Benchmark]
    public void Work() => Calls++;

    [GlobalCleanup]
    public void CleanUp() => CleanUps++;
}

[CpuUsageDiagnoser, HdrPercentiles, PerfCounters(PerfSoftwareCounterId.PageFaults), RecordedEngines]
public class ThrowingWorkloads
{
    private int _calls;

    [Benchmark]
    public void ThrowsAtOnce() => throw new InvalidOperationException("at once");

    [Benchmark]
    public void ThrowsLater()
    {
        if (++_calls > 200)
        {
            throw new InvalidOperationException("later");
        }
    }

    [Benchmark]
    public void Works()
    {
    }
}
