using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>A summary into an object that is used again: sixteen percentiles, mean and standard deviation.</summary>
internal sealed class Summary() : Contender("GetSummary(reuse)", SummaryWorkload.OperationsPerRun)
{
    private readonly PlainHdrHistogram<uint> _histogram = SummaryWorkload.Create();
    private readonly HdrHistogramSummary _summary = new();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _histogram.GetSummary(_summary);
        }
    }

    public override void Verify()
    {
        Run(1);
        ulong[] sorted = [.. ValueSet.Wide.Values];
        Array.Sort(sorted);
        double median = sorted[(sorted.Length / 2) - 1];
        if (_summary.TotalCount != ValueSet.Count || Math.Abs(_summary.P50.Value - median) > median * 0.001)
        {
            throw new InvalidOperationException($"{Name}: {_summary}");
        }
    }
}
