using System.Numerics;
using System.Runtime.CompilerServices;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The reference class, in a loop.</summary>
internal sealed class ArticleFormula<TCounter>(ValueSet set)
    : RecordContender($"the article's formula, {8 * Unsafe.SizeOf<TCounter>()}-bit", set)
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly ArticleHistogram<TCounter> _histogram = new(BlockSize, 0, ValueSet.MaxTrackableValue);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ArticleHistogram<TCounter> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            histogram.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => _histogram.Counts;
}
