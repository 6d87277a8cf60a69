using BenchmarkDotNet.Attributes;
using Picollo.Benchmarks.Histogram;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Suites;

/// <summary>A million values into each variant; figures are for one value.</summary>
[MemoryDiagnoser]
public class RecordBenchmarks
{
    private static readonly PlainHdrHistogramFactory<uint> Factory =
        HdrHistogram.Factory.WithMaxTrackableValue(ValueSet.MaxTrackableValue);

    private static readonly PlainHdrHistogram<uint> StaticField = Factory.Create();

    private readonly PlainHdrHistogram<uint> _plain = Factory.Create();
    private readonly PlainHdrHistogram<ulong> _plain64 = Factory.WithUInt64Storage().Create();
    private readonly ThreadLocalHdrHistogram<uint> _threadLocal = Factory.WithThreadLocal().Create();
    private readonly InterlockedHdrHistogram<uint> _interlocked = Factory.WithInterlocked().Create();
    private ulong[] _values = [];

    /// <summary>Gets or sets the name of the value set.</summary>
    [Params("wide", "narrow")]
    public string Set { get; set; } = string.Empty;

    [GlobalSetup]
    public void Setup() => _values = (Set == ValueSet.Wide.Name ? ValueSet.Wide : ValueSet.Narrow).Values;

    [Benchmark(Baseline = true, OperationsPerInvoke = ValueSet.Count)]
    public void Plain()
    {
        PlainHdrHistogram<uint> histogram = _plain;
        foreach (ulong value in _values)
        {
            histogram.Record(value);
        }
    }

    [Benchmark(OperationsPerInvoke = ValueSet.Count)]
    public void Plain64Bit()
    {
        PlainHdrHistogram<ulong> histogram = _plain64;
        foreach (ulong value in _values)
        {
            histogram.Record(value);
        }
    }

    [Benchmark(OperationsPerInvoke = ValueSet.Count)]
    public void PlainInStaticField()
    {
        foreach (ulong value in _values)
        {
            StaticField.Record(value);
        }
    }

    [Benchmark(OperationsPerInvoke = ValueSet.Count)]
    public void PlainSpan() => _plain.Record(_values);

    [Benchmark(OperationsPerInvoke = ValueSet.Count)]
    public void ThreadLocal()
    {
        ThreadLocalHdrHistogram<uint> histogram = _threadLocal;
        foreach (ulong value in _values)
        {
            histogram.Record(value);
        }
    }

    [Benchmark(OperationsPerInvoke = ValueSet.Count)]
    public void Interlocked()
    {
        InterlockedHdrHistogram<uint> histogram = _interlocked;
        foreach (ulong value in _values)
        {
            histogram.Record(value);
        }
    }
}
