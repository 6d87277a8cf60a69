using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>
/// Any variant through the abstract base. All instances share one loop, so with three variants about its call site has seen
/// three types.
/// </summary>
internal sealed class ThroughBase(string variant, ValueSet set, HdrHistogram histogram)
    : RecordContender($"{variant} through HdrHistogram", set)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        HdrHistogram any = histogram;
        foreach (ulong value in Values(operations))
        {
            any.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(histogram);
}
