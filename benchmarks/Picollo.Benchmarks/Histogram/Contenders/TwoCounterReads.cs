using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Timing;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>What no scope on the CPU's counter can be faster than: two reads and the difference.</summary>
internal sealed class TwoCounterReads() : Contender("two CycleClock.GetTimestamp()", ScopeOperations.PerRun)
{
    private long _elapsed;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        long elapsed = 0;
        for (int i = 0; i < operations; i++)
        {
            long start = CycleClock.GetTimestamp();
            elapsed += CycleClock.GetTimestamp() - start;
        }

        _elapsed += elapsed;
    }

    public override void Verify()
    {
        Run(Operations);
        if (_elapsed <= 0)
        {
            throw new InvalidOperationException("The counter stands still.");
        }
    }
}
