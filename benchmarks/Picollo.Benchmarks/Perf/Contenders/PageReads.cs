using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf.Contenders;

/// <summary>A whole session of counters on simulated pages: reading, recording, measuring.</summary>
internal sealed class PageReads : Contender
{
    private readonly PerfEventCounterSession _session;
    private readonly Action<PerfEventCounterSession> _operation;

    public PageReads(string name, BareReads bare, int count, Action<PerfEventCounterSession> operation)
        : base(name, PerfOperations.Reads)
    {
        _operation = operation;
        PerfEventSettings settings = new()
        {
            Counters = [.. Enumerable.Range(0, count).Select(i => new PerfEventNumbers(
                $"counter {i}", new PerfEventDefinition(PerfEventType.Software, (ulong)PerfSoftwareCounterId.Dummy)))],
        };
        _session = PerfEventCounterSession.Open(settings, PerfEventSources.System, (_, _) => Pages(bare, count));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _operation(_session);
        }
    }

    public override void Verify()
    {
        _session.Read();
        if (!_session.WasReadInUserSpace)
        {
            throw new InvalidOperationException($"{Name} asks the kernel.");
        }
    }

    private static unsafe PerfPages Pages(BareReads bare, int count)
    {
        nint[] pages = [.. Enumerable.Range(1, count).Select(index => (nint)SimulatedPages.Page((uint)index))];
        return new PerfPages(pages, bare.Read);
    }
}
