using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu.Contenders;

/// <summary>Another sample of the machine.</summary>
internal sealed class MachineUpdate(string name, SystemCpuParts parts, int operations) : Contender(name, operations)
{
    private readonly SystemCpu _cpu = new(parts);

    public int ProcessCount => _cpu.Processes.Count;

    public int ThreadCount => _cpu.Threads.Count;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _cpu.Update();
        }
    }
}
