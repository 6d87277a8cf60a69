using System.Diagnostics;
using BenchmarkDotNet.Attributes;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Suites;

/// <summary>What measuring an empty block costs.</summary>
[MemoryDiagnoser]
public class ScopeBenchmarks
{
    private readonly PlainHdrHistogram<uint> _histogram = HdrHistogram.Create();

    [Benchmark(Baseline = true)]
    public long TwoTimestamps()
    {
        long start = Stopwatch.GetTimestamp();
        return Stopwatch.GetTimestamp() - start;
    }

    [Benchmark]
    public void TickScope()
    {
        using (_histogram.GetTickScope())
        {
        }
    }

    [Benchmark]
    public void NanoScope()
    {
        using (_histogram.GetNanoScope())
        {
        }
    }

    [Benchmark]
    public void PicoScope()
    {
        using (_histogram.GetPicoScope())
        {
        }
    }
}
