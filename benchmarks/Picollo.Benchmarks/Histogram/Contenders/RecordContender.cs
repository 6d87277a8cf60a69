using Picollo.Benchmarks.Comparison;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>A contender that counts the values of a set, in buckets of the layout that all of them share.</summary>
internal abstract class RecordContender(string name, ValueSet set) : Contender(name, ValueSet.Count)
{
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
        Run(Operations);
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

    protected ReadOnlySpan<ulong> Values(int count) => Set.Values.AsSpan(0, count);

    /// <summary>The counts so far, by bucket.</summary>
    protected abstract ulong[] ReadCounts();
}
