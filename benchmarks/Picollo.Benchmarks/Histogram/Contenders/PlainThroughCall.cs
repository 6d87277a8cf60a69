using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The plain variant, each record through a call that is not inlined.</summary>
internal sealed class PlainThroughCall(ValueSet set) : RecordContender("plain through a call", set)
{
    private readonly PlainHdrHistogram<uint> _histogram = Factory.Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        PlainHdrHistogram<uint> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            RecordOne(histogram, value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RecordOne(PlainHdrHistogram<uint> histogram, ulong value) => histogram.Record(value);
}
