using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The thread-local variant in a local of its own type.</summary>
internal sealed class ThreadLocal(ValueSet set) : RecordContender("thread-local", set)
{
    private readonly ThreadLocalHdrHistogram<uint> _histogram = Factory.WithThreadLocal().Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ThreadLocalHdrHistogram<uint> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            histogram.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);
}
