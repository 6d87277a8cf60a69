using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu;

/// <summary>Measures the allocations of readings and watched awaits, and the steps of readings.</summary>
internal static class CpuFacts
{
    private const int Operations = 10_000;

    // An update of the machine allocates for each new name. Processes start and end, so the batch with the fewest allocations counts.
    private const int Batches = 20;
    private const int UpdatesOfBatch = 20;

    private const int ManySwitches = 1_000_000;

    /// <summary>The bytes that the runtime's own threads can allocate in the meantime. If each switch allocated, there would be tens of
    /// megabytes.</summary>
    private const long HeapNoiseBytes = 10_000;

    private const ulong StepLimitNanoseconds = 5_000;
    private static readonly TimeSpan StepDuration = TimeSpan.FromSeconds(1);

    /// <summary>Prints the bytes that readings and watched awaits allocate after a warm-up. The target is 0.</summary>
    public static void PrintAllocations(TextWriter output, IEnumerable<Contender> contenders)
    {
        FactTable table = new("Allocations of an operation");
        foreach (Contender contender in contenders)
        {
            double bytes = contender switch
            {
                Repeated => Quietest(contender, UpdatesOfBatch),
                YieldingAwaits => Quietest(contender, Operations),
                _ => contender.AllocatedBytes(Operations),
            };
            table.Add($"{contender.Name}{(contender is YieldingAwaits ? ", all threads" : "")}", bytes, 0);
        }

        table.Print(output);
        PrintManySwitches(output);
    }

    /// <summary>Prints the median step by which the clocks of CPU time advance.</summary>
    public static void PrintSteps(TextWriter output)
    {
        FactTable table = new("Median step of the thread's CPU time (in the document of Universe.CpuUsage: 3,800,000)", "ns");
        table.Add("CpuUsageReader.GetByThread()", MedianStep(() => CpuUsageReader.GetByThread().TotalNanoseconds), StepLimitNanoseconds);
        table.Add("CpuUsageReader.GetThreadTimeNanoseconds()", MedianStep(CpuUsageReader.GetThreadTimeNanoseconds), StepLimitNanoseconds);
        table.Print(output);
    }

    /// <summary>Prints the growth of a watcher's memory after a million switches.</summary>
    private static void PrintManySwitches(TextWriter output)
    {
        FactTable table = new($"A watcher after {ManySwitches:N0} switches");
        foreach (CpuUsageDetail detail in Enum.GetValues<CpuUsageDetail>())
        {
            ResumedAwaits awaits = ResumedAwaits.Watched(detail);
            awaits.Verify();
            long switches = awaits.Watcher!.SwitchCount;
            long heap = GC.GetTotalMemory(forceFullCollection: true);
            long allocated = GC.GetAllocatedBytesForCurrentThread();
            awaits.Run(ManySwitches);
            allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
            table.Add($"{detail}: allocated", allocated, 0);
            table.Add($"{detail}: heap growth", Math.Max(GC.GetTotalMemory(forceFullCollection: true) - heap, 0), HeapNoiseBytes);
            if (awaits.Watcher.SwitchCount - switches != ManySwitches)
            {
                throw new InvalidOperationException($"{awaits.Watcher.SwitchCount - switches} switches were counted; expected {ManySwitches}.");
            }
        }

        table.Print(output);
    }

    private static double Quietest(Contender contender, int operations) =>
        Enumerable.Range(0, Batches).Min(_ => contender.AllocatedBytes(operations));

    private static ulong MedianStep(Func<long> read)
    {
        PlainHdrHistogram<uint> steps = HdrHistogram.Create();
        long start = Stopwatch.GetTimestamp();
        long last = read();
        while (Stopwatch.GetElapsedTime(start) < StepDuration)
        {
            long now = read();
            if (now > last)
            {
                steps.Record((ulong)(now - last));
                last = now;
            }
        }

        return steps.GetPercentileValue(50);
    }
}
