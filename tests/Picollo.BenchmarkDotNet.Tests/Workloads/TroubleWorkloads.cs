using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.BenchmarkDotNet.Tests.Counters;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>Permits the calls of BenchmarkDotNet, including the first ones, and few additional ones.</summary>
[CpuUsageDiagnoser]
[HdrPercentiles]
public class FilledOnce
{
    private readonly Queue<int> _queue = [];

    public static int Cleanups { get; private set; }

    [GlobalSetup]
    public void SetUp()
    {
        for (int i = 0; i < 320; i++)
        {
            _queue.Enqueue(i);
        }
    }

    [Benchmark]
    public int Take()
    {
        Thread.SpinWait(2000); // the additional calls take as long as all of these
        return _queue.Dequeue();
    }

    [GlobalCleanup]
    public void CleanUp() => Cleanups++;
}

/// <summary>Replaces the file for the results by a folder, if the file exists.</summary>
[CpuUsageDiagnoser]
public class UnwritableWorkload
{
    private readonly string? _path = Environment.GetEnvironmentVariable(ExchangeFile.Variable);

    [GlobalSetup]
    public void SetUp()
    {
        if (_path is not null)
        {
            File.Delete(_path);
            Directory.CreateDirectory(_path);
        }
    }

    [Benchmark]
    public void Work()
    {
    }

    [GlobalCleanup]
    public void CleanUp()
    {
        if (_path is not null)
        {
            Directory.Delete(_path);
            File.Delete(_path + ".new");
        }
    }
}

/// <summary>A benchmark that takes about ten times its overhead.</summary>
[RecordedEngines]
public class ShortWorkload
{
    [Benchmark]
    public void Work() => Thread.SpinWait(1);
}

/// <summary>A large count from a counter that always runs.</summary>
[KnownCounters]
public class ManyOfConfig
{
    [Benchmark]
    public void Thousands() => KnownCounts.Add("Instructions", 5_000);
}

[PerfCounters(PerfHardwareCounterId.Instructions), KnownCounters]
public class ManyWorkload : ManyOfConfig;

/// <summary>A count for one in four calls from a multiplexed counter.</summary>
[KnownCounters]
public class RareOfConfig
{
    private int _calls;

    [GlobalSetup]
    public void SetUp() => (KnownCounts.Share, KnownCounts.Unavailable) = (0.5, ["Not counted: one: only here."]);

    [Benchmark]
    public void Fractions() => KnownCounts.Add("Instructions", _calls++ % 4 == 0 ? 1UL : 0);

    [GlobalCleanup]
    public void CleanUp() => (KnownCounts.Share, KnownCounts.Unavailable) = (1, []);
}

[PerfCounters(PerfHardwareCounterId.Instructions), KnownCounters]
public class RareWorkload : RareOfConfig;
