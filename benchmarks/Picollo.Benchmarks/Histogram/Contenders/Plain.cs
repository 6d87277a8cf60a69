using System.Numerics;
using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The plain variant in a local of its own type: <c>Record</c> is inlined.</summary>
internal sealed class Plain<TCounter>(ValueSet set, PlainHdrHistogram<TCounter> histogram)
    : RecordContender($"plain, {8 * Unsafe.SizeOf<TCounter>()}-bit", set)
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly PlainHdrHistogram<TCounter> _histogram = histogram;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        PlainHdrHistogram<TCounter> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            histogram.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);
}
