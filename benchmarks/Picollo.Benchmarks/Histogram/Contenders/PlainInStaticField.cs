using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The plain variant as applications hold it, in a <c>static readonly</c> field.</summary>
internal sealed class PlainInStaticField(ValueSet set) : RecordContender("plain in a static readonly field", set)
{
    private static readonly PlainHdrHistogram<uint> Histogram = Factory.Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        foreach (ulong value in Values(operations))
        {
            Histogram.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(Histogram);
}
