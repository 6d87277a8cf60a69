using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Perf.Contenders;

/// <summary>What any call of the library takes.</summary>
internal sealed unsafe class EmptyCall(BareReads bare) : Contender("empty P/Invoke, SuppressGCTransition", PerfOperations.Reads)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        delegate* unmanaged[SuppressGCTransition]<int> empty = bare.Empty;
        for (int i = 0; i < operations; i++)
        {
            _ = empty();
        }
    }
}
