using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.PerfEvent;

namespace Picollo.Benchmarks.Perf.Contenders;

/// <summary>A session of six of the kernel's counters, in one group.</summary>
internal sealed class GroupOfSix(string name, Action<PerfEventCounterSession> operation) : Contender(name, PerfOperations.Calls)
{
    private readonly PerfEventCounterSession _session = Ids
        .Aggregate(PerfEventCounterSession.Factory.WithKernel(true), (factory, id) => factory.WithSoftwareCounter(id))
        .Create();

    public static PerfSoftwareCounterId[] Ids { get; } =
    [
        PerfSoftwareCounterId.PageFaults, PerfSoftwareCounterId.MinorPageFaults, PerfSoftwareCounterId.MajorPageFaults,
        PerfSoftwareCounterId.ContextSwitches, PerfSoftwareCounterId.CpuMigrations, PerfSoftwareCounterId.AlignmentFaults,
    ];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            operation(_session);
        }
    }
}
