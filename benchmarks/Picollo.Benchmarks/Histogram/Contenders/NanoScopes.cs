using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>An empty stopwatch scope into a plain histogram.</summary>
internal sealed class NanoScopes() : Contender("using (h.GetNanoScope())", ScopeOperations.PerRun)
{
    private readonly PlainHdrHistogram<uint> _histogram = HdrHistogram.Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        PlainHdrHistogram<uint> histogram = _histogram;
        for (int i = 0; i < operations; i++)
        {
            using (histogram.GetNanoScope())
            {
            }
        }
    }

    public override void Verify()
    {
        Run(Operations);
        if (_histogram.TotalCount != (ulong)Operations)
        {
            throw new InvalidOperationException($"{Name} recorded {_histogram.TotalCount} of {Operations}.");
        }
    }
}
