using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The interlocked variant in a local of its own type.</summary>
internal sealed class InterlockedVariant(ValueSet set) : RecordContender("interlocked", set)
{
    private readonly InterlockedHdrHistogram<uint> _histogram = Factory.WithInterlocked().Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        InterlockedHdrHistogram<uint> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            histogram.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);
}
