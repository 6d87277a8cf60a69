using BenchmarkDotNet.Attributes;
using Picollo.Benchmarks.Histogram.Contenders;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Suites;

/// <summary>Reads of a histogram of one hour in nanoseconds at 0.1 %, into objects that are used again.</summary>
[MemoryDiagnoser]
public class ReadBenchmarks
{
    private static readonly double[] Ranks = [50, 90, 99, 99.9];

    private readonly PlainHdrHistogram<uint> _histogram = SummaryWorkload.Create();
    private readonly HdrHistogramSummary _summary = new();
    private readonly ulong[] _percentileValues = new ulong[Ranks.Length];
    private readonly HdrHistogramSnapshot _snapshot;

    public ReadBenchmarks() => _snapshot = _histogram.GetSnapshot();

    [Benchmark(Baseline = true)]
    public ulong Summary() => _histogram.GetSummary(_summary).P99.Value;

    [Benchmark]
    public void SnapshotUpdate() => _snapshot.Update(deltas: true);

    [Benchmark]
    public ulong SnapshotSummary() => _snapshot.GetSummary(_summary).P99.Value;

    [Benchmark]
    public ulong FourPercentiles()
    {
        _histogram.GetPercentileValues(Ranks, _percentileValues);
        return _percentileValues[2];
    }

    [Benchmark]
    public ulong TotalCount() => _histogram.TotalCount;
}
