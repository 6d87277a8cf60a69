using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf.Contenders;

/// <summary>The library's read of so many counters, called as a session calls it.</summary>
internal sealed unsafe class ShimReads(BareReads bare, int count, bool ofNothing)
    : Contender($"picollo_perf_read of {count}", PerfOperations.Reads)
{
    private readonly PerfPage* _counters = SimulatedPages.Counters(count);
    private ulong _mask;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> read = ofNothing ? bare.ReadNothing : bare.Read;
        PerfPage* counters = _counters;
        ulong mask = ulong.MaxValue;
        for (int i = 0; i < operations; i++)
        {
            mask &= read(counters, count);
        }

        _mask = mask;
    }

    public override void Verify()
    {
        Run(Operations);
        if (_mask != (1ul << count) - 1 || _counters[0].RunningNanoseconds != 1_000_001)
        {
            throw new InvalidOperationException($"{Name} read {_mask:b}, {_counters[0].RunningNanoseconds} ns.");
        }
    }
}
