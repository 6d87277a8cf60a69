using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Cpu.Contenders;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu;

/// <summary>Bytes that readings and watched awaits allocate once their first calls are over: none are allowed.</summary>
internal static class AllocationFacts
{
    private const int WarmUpOperations = 1_000;
    private const int Operations = 10_000;

    // An update of the machine allocates for each name it has not seen; processes come and go, so the quietest batch counts.
    private const int Batches = 20;
    private const int UpdatesOfBatch = 20;

    private const int ManySwitches = 1_000_000;

    /// <summary>What the runtime's own threads may allocate meanwhile. A row for each switch would be tens of megabytes.</summary>
    private const long HeapNoiseBytes = 10_000;

    public static void Print(TextWriter output, CpuRows rows)
    {
        FactTable table = new("Allocated by an operation");
        foreach (Contender contender in rows.Ours)
        {
            table.Add(contender.Name, BytesPerOperation(contender), 0);
        }

        foreach (AwaitRow row in rows.Awaits)
        {
            table.Add($"{row.With.Name}{(row.With is YieldingAwaits ? ", all threads" : "")}", BytesPerOperation(row.With), 0);
        }

        table.Print(output);
        PrintManySwitches(output);
    }

    private static double BytesPerOperation(Contender contender)
    {
        switch (contender)
        {
            case MachineUpdate:
                contender.Run(WarmUpOperations / 10);
                return Quietest(() => AllocatedBytes(() => contender.Run(UpdatesOfBatch))) / (double)UpdatesOfBatch;
            case YieldingAwaits yielding:
                return Quietest(() => yielding.AllocatedBytes(WarmUpOperations, Operations)) / (double)Operations;
            default:
                contender.Run(WarmUpOperations);
                return AllocatedBytes(() => contender.Run(Operations)) / (double)Operations;
        }
    }

    /// <summary>A watcher's memory at its beginning and a million switches later.</summary>
    private static void PrintManySwitches(TextWriter output)
    {
        FactTable table = new($"A watcher over {ManySwitches:N0} switches");
        foreach (CpuUsageDetail detail in Enum.GetValues<CpuUsageDetail>())
        {
            ResumedAwaits awaits = ResumedAwaits.Watched(detail);
            awaits.Run(WarmUpOperations);
            long heap = GC.GetTotalMemory(forceFullCollection: true);
            long switches = awaits.Watcher!.SwitchCount;
            table.Add($"{detail}: allocated", AllocatedBytes(() => awaits.Run(ManySwitches)), 0);
            table.Add($"{detail}: growth of the heap", Math.Max(GC.GetTotalMemory(forceFullCollection: true) - heap, 0), HeapNoiseBytes);
            if (awaits.Watcher.SwitchCount - switches != ManySwitches)
            {
                throw new InvalidOperationException($"{awaits.Watcher.SwitchCount - switches} switches were counted.");
            }
        }

        table.Print(output);
    }

    private static long Quietest(Func<long> allocatedBytes) => Enumerable.Range(0, Batches).Min(_ => allocatedBytes());

    private static long AllocatedBytes(Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
