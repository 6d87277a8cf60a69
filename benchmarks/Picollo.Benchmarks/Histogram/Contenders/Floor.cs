using System.Runtime.CompilerServices;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>What no histogram can be faster than: an array element incremented, its index known beforehand.</summary>
internal sealed class Floor(ValueSet set) : RecordContender("bare uint[] increment, index known", set)
{
    private readonly uint[] _indexes = ReferenceCounts.Indexes(set.Values, BlockSize);
    private readonly uint[] _counts = new uint[Length];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        uint[] counts = _counts;
        foreach (uint index in _indexes.AsSpan(Next(operations), operations))
        {
            counts[index]++;
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_counts);
}
