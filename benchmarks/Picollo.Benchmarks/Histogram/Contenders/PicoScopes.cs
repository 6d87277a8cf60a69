using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>An empty scope on the CPU's counter into a plain histogram.</summary>
internal sealed class PicoScopes() : Contender("using (h.GetPicoScope())", ScopeOperations.PerRun)
{
    private readonly PlainHdrHistogram<uint> _histogram = HdrHistogram.Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        PlainHdrHistogram<uint> histogram = _histogram;
        for (int i = 0; i < operations; i++)
        {
            using (histogram.GetPicoScope())
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
