using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Picollo.Samples.Benchmarks;

/// <summary>The same loop over a million random bytes, and over the same bytes sorted.</summary>
/// <remarks>The means say that sorted is faster; <c>BranchMisses/Op</c> says why: half a million branches guessed wrong in the one, some tens in the
/// other, with the same <c>Instructions/Op</c> in half the <c>CpuCycles/Op</c>. Without a PMU these columns are missing, and TaskClock/Op and
/// <c>CPU/Wall</c> tell only that the CPU took the time, and no wait.</remarks>
[PerfCounters(PerfHardwareCounterId.Instructions, PerfHardwareCounterId.CpuCycles, PerfHardwareCounterId.BranchMisses)]
[PerfCounters(PerfSoftwareCounterId.TaskClock, PerfSoftwareCounterId.PageFaults)]
[CpuUsageDiagnoser]
[HdrPercentiles]
public class Aggregation
{
    private readonly byte[] _values = new byte[1_000_000];

    [Params(false, true)]
    public bool Sorted { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        new Random(1).NextBytes(_values);
        if (Sorted)
        {
            Array.Sort(_values);
        }
    }

    [Benchmark]
    public double Aggregate()
    {
        double sum = 0;
        foreach (byte value in _values)
        {
            // Floating-point arithmetic, so that the compiler cannot remove the branch.
            if (value >= 128)
            {
                sum += 100;
            }
            else
            {
                sum *= 0.9999;
            }
        }

        return sum;
    }
}
