using System.Runtime.CompilerServices;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling.Contenders;

internal sealed class AwaitedCheckpoints() : Checkpoints("await cpu.Checkpoint()")
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override async Task Loop(CpuTaskContext cpu, int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            await cpu.Checkpoint();
        }
    }
}
