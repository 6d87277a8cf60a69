using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The thread-local variant, each record through a call that is not inlined.</summary>
internal sealed class ThreadLocalThroughCall(ValueSet set) : RecordContender("thread-local through a call", set)
{
    private readonly ThreadLocalHdrHistogram<uint> _histogram = Factory.WithThreadLocal().Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ThreadLocalHdrHistogram<uint> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            RecordOne(histogram, value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RecordOne(ThreadLocalHdrHistogram<uint> histogram, ulong value) => histogram.Record(value);
}
