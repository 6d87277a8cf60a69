using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet.Tests.Counters;

/// <summary>Counters with values that benchmarks set, plus 1,000 per iteration for the overhead of reading real ones.</summary>
internal sealed class KnownCounters(MeasureRequest request) : ICounters
{
    private const int OfReading = 1_000;

    private readonly Dictionary<string, ulong> _start = [];

    public IReadOnlyList<string> Names { get; } = [.. request.Counters.Select(counter => counter.Name)];

    public IReadOnlyList<string> Unavailable { get; } = KnownCounts.Unavailable;

    public void Begin()
    {
        foreach (string name in Names)
        {
            _start[name] = KnownCounts.Of(name);
        }
    }

    public void End(Span<ulong> counts)
    {
        for (int i = 0; i < counts.Length; i++)
        {
            counts[i] = KnownCounts.Of(Names[i]) - _start[Names[i]] + OfReading;
        }
    }

    public double ShareOfTime(int index) => KnownCounts.Share;

    public void Dispose()
    {
    }
}
