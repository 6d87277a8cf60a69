using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Cpu;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf.Contenders;

/// <summary>The thread's CPU time by a system call.</summary>
internal sealed class ThreadTime() : Contender("CpuUsageReader.GetThreadTime()", PerfOperations.Calls)
{
    private long _last;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _last = CpuUsageReader.GetThreadTime();
        }
    }

    public override void Verify()
    {
        Run(1);
        if (_last <= 0)
        {
            throw new InvalidOperationException("The thread took no time.");
        }
    }
}

/// <summary>The same by the thread's clock.</summary>
internal sealed class ThreadClock(string name, ThreadCpuClock clock, int operations) : Contender(name, operations)
{
    private long _last;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ThreadCpuClock threadClock = clock;
        for (int i = 0; i < operations; i++)
        {
            _last = threadClock.GetNanoseconds();
        }
    }

    public override void Verify()
    {
        Run(1);
        if (_last <= 0)
        {
            throw new InvalidOperationException("The thread took no time.");
        }
    }
}
