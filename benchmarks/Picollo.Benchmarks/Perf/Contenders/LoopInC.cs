using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf.Contenders;

/// <summary>Reads in a loop of C, and as many calls that do nothing: what a call from managed code is made of.</summary>
internal sealed unsafe class LoopInC(BareReads bare, int count, bool withCalls, bool ofNothing)
    : Contender($"a C loop's read of {count}{(withCalls ? " and an empty P/Invoke" : "")}", PerfOperations.Reads)
{
    private readonly PerfPage* _counters = SimulatedPages.Counters(count);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        (ofNothing ? bare.LoopOfNothing : bare.Loop)(_counters, count, operations);
        if (withCalls)
        {
            delegate* unmanaged[SuppressGCTransition]<int> empty = bare.Empty;
            for (int i = 0; i < operations; i++)
            {
                _ = empty();
            }
        }
    }
}
