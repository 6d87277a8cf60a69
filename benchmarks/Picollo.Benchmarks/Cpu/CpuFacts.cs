using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu;

/// <summary>What readings and watched awaits allocate, and the steps of readings.</summary>
internal static class CpuFacts
{
    private const int Operations = 10_000;

    // An update of the machine allocates for each name it has not seen; processes come and go, so the quietest batch counts.
    private const int Batches = 20;
    private const int UpdatesOfBatch = 20;

    private const int ManySwitches = 1_000_000;

    /// <summary>What the runtime's own threads may allocate meanwhile. A row for each switch would be tens of megabytes.</summary>
    private const long HeapNoiseBytes = 10_000;

    private const ulong StepLimitNanoseconds = 5_000;
    private static readonly TimeSpan StepDuration = TimeSpan.FromSeconds(1);

    /// <summary>Bytes that readings and watched awaits allocate once their first calls are over: none are allowed.</summary>
    public static void PrintAllocations(TextWriter output, IEnumerable<Contender> contenders)
    {
        FactTable table = new("Allocated by an operation");
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

    /// <summary>By how much a clock of CPU time advances when it does, at the median.</summary>
    public static void PrintSteps(TextWriter output)
    {
        FactTable table = new("Step of the current thread's time, median (the document: 3,800,000)", "ns");
        table.Add("CpuUsage.GetByThread()", MedianStep(() => CpuUsage.GetByThread().TotalNanoseconds), StepLimitNanoseconds);
        table.Add("CpuUsageReader.GetThreadTimeNanoseconds()", MedianStep(CpuUsageReader.GetThreadTimeNanoseconds), StepLimitNanoseconds);
        table.Print(output);
    }

    /// <summary>A watcher's memory at its beginning and a million switches later.</summary>
    private static void PrintManySwitches(TextWriter output)
    {
        FactTable table = new($"A watcher over {ManySwitches:N0} switches");
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
            table.Add($"{detail}: growth of the heap", Math.Max(GC.GetTotalMemory(forceFullCollection: true) - heap, 0), HeapNoiseBytes);
            if (awaits.Watcher.SwitchCount - switches != ManySwitches)
            {
                throw new InvalidOperationException($"{awaits.Watcher.SwitchCount - switches} switches were counted.");
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
