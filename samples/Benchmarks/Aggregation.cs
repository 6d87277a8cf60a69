using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Picollo.Samples.Benchmarks;

/// <summary>Runs a loop over a million random bytes, and the same loop over the sorted bytes.</summary>
/// <remarks>The means show that the sorted bytes are faster, and <c>BranchMisses/Op</c> shows the reason: half a million mispredicted branches
/// with random bytes, and tens with sorted bytes. <c>Instructions/Op</c> is the same, but <c>CpuCycles/Op</c> is half. Without a PMU, these
/// columns are missing. <c>TaskClock/Op</c> and <c>CPU/Wall</c> then show only that the time is CPU time, not waiting.</remarks>
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
