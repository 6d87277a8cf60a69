using System.Runtime.CompilerServices;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling.Contenders;

internal sealed class BlockingCheckpoints() : Checkpoints("cpu.CheckpointBlocking()")
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override Task Loop(CpuTaskContext cpu, int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            cpu.CheckpointBlocking();
        }

        return Task.CompletedTask;
    }
}
