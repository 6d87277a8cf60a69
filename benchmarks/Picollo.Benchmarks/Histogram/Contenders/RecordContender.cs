using Picollo.Benchmarks.Comparison;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>A contender that counts the values of a set, in buckets of the layout that all of them share.</summary>
internal abstract class RecordContender(string name, ValueSet set) : Contender(name, OperationsPerRun)
{
    private const int OperationsPerRun = ValueSet.Count / 20;

    private int _next;

    /// <summary>0.1 %: three significant digits.</summary>
    public const int BlockSize = 512;

    public static int Length { get; } = ReferenceCounts.IndexOf(ValueSet.MaxTrackableValue, BlockSize) + 1;

    public static PlainHdrHistogramFactory<uint> Factory { get; } = HdrHistogram.Factory
        .WithRelativeError(0.5 / BlockSize)
        .WithMaxTrackableValue(ValueSet.MaxTrackableValue);

    public ValueSet Set { get; } = set;

    public override void Verify()
    {
        ulong[] before = ReadCounts();
        for (int i = 0; i < ValueSet.Count / OperationsPerRun; i++)
        {
            Run(OperationsPerRun);
        }

        ulong[] after = ReadCounts();
        ulong[] expected = ReferenceCounts.Of(Set.Values, BlockSize, Length);
        for (int i = 0; i < Length; i++)
        {
            if (after[i] - before[i] != expected[i])
            {
                throw new InvalidOperationException($"{Name} counted {after[i] - before[i]} where {expected[i]} was due, in bucket {i} of {Length}.");
            }
        }
    }

    protected static ulong[] CountsOf(HdrHistogram histogram) => [.. histogram.Buckets.Select(bucket => bucket.Count)];

    protected static ulong[] CountsOf(uint[] counts) => Array.ConvertAll(counts, count => (ulong)count);

    /// <summary>The next values of the set, which begins again when it comes to its end.</summary>
    protected ReadOnlySpan<ulong> Values(int count) => Set.Values.AsSpan(Next(count), count);

    /// <summary>Where the next values begin. Two threads may get the same ones.</summary>
    protected int Next(int count)
    {
        int next = _next;
        next = next + count > ValueSet.Count ? 0 : next;
        _next = next + count;
        return next;
    }

    /// <summary>The counts so far, by bucket.</summary>
    protected abstract ulong[] ReadCounts();
}
