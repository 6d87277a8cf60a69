using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Benchmarks;

/// <summary>The article's example: the same sum over sorted and over unsorted numbers; only the branch predictor sees a difference.</summary>
[ShortRunJob]
[PerfCounters(PerfHardwareCounterId.Instructions, PerfHardwareCounterId.CpuCycles, PerfHardwareCounterId.BranchMisses)]
[PerfCounters(PerfSoftwareCounterId.PageFaults, PerfSoftwareCounterId.TaskClock, PerfSoftwareCounterId.ContextSwitches)]
[CpuUsageDiagnoser]
[HdrPercentiles]
public class Aggregation
{
    private readonly int[] _numbers = new int[32_768];

    [Params(false, true)]
    public bool Sorted { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        Random random = new(1);
        for (int i = 0; i < _numbers.Length; i++)
        {
            _numbers[i] = random.Next(256);
        }

        if (Sorted)
        {
            Array.Sort(_numbers);
        }
    }

    [Benchmark]
    public long SumOfLarge()
    {
        long sum = 0;
        foreach (int number in _numbers)
        {
            if (number >= 128)
            {
                sum += number;
            }
        }

        return sum;
    }
}
