using System.Runtime.CompilerServices;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>What no histogram with shared counters can be faster than: the right counter incremented, its index known.</summary>
internal sealed class BareInterlocked(ValueSet set) : RecordContender("bare Interlocked.Increment, index known", set)
{
    private readonly uint[] _indexes = ReferenceCounts.Indexes(set.Values, BlockSize);
    private readonly uint[] _counts = new uint[Length];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        uint[] counts = _counts;
        foreach (uint index in _indexes.AsSpan(Next(operations), operations))
        {
            Interlocked.Increment(ref counts[index]);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_counts);
}
