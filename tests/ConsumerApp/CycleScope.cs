using Picollo.Metrics;
using Picollo.Timing;

namespace ConsumerApp;

/// <summary>Records the picoseconds from its making to its disposal.</summary>
internal readonly struct CycleScope(HdrHistogram histogram) : IDisposable
{
    private readonly long _start = CycleClock.GetTimestamp();

    void IDisposable.Dispose() => histogram.Record(CycleClock.TicksToPicoseconds(CycleClock.GetTimestamp() - _start));
}
