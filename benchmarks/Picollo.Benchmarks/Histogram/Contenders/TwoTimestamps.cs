using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>What no stopwatch scope can be faster than: two timestamps and the difference.</summary>
internal sealed class TwoTimestamps() : Contender("two Stopwatch.GetTimestamp()", ScopeOperations.PerRun)
{
    private long _elapsed;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        long elapsed = 0;
        for (int i = 0; i < operations; i++)
        {
            long start = Stopwatch.GetTimestamp();
            elapsed += Stopwatch.GetTimestamp() - start;
        }

        _elapsed += elapsed;
    }

    public override void Verify()
    {
        Run(Operations);
        if (_elapsed <= 0)
        {
            throw new InvalidOperationException("The clock stands still.");
        }
    }
}
