using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Perf.Contenders;

namespace Picollo.Benchmarks.Perf;

/// <summary><c>compare perf</c>: reading counters, in under a minute.</summary>
internal static class PerfComparison
{
    public const string Name = "perf";

    private const int Repetitions = 401;
    private const int AllocationOperations = 10_000;

    public static int Run(TextWriter output)
    {
        if (!OperatingSystem.IsLinux())
        {
            Console.Error.WriteLine("error: perf_event counters exist on Linux only");
            return 1;
        }

        MachineInfo.Print(output);
        BareReads? bare = BareReads.TryCompile(out string? reason);
        if (bare is null)
        {
            output.WriteLine($"not measured: reads of simulated pages: {reason}");
        }

        List<Row> rows = [.. PerfRows.Create(bare)];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        PrintAllocations(output, rows);
        return 0;
    }

    private static void PrintAllocations(TextWriter output, List<Row> rows)
    {
        FactTable table = new("Allocated by an operation, on its thread");
        foreach (Row row in rows.Where(row => row.Measured is PageReads or GroupOfSix or ThreadClock))
        {
            row.Measured.Run(AllocationOperations / 10);
            long before = GC.GetAllocatedBytesForCurrentThread();
            row.Measured.Run(AllocationOperations);
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            table.Add($"{row.Measured.Name}{(row.Measured is PageReads ? ", pages" : "")}", allocated / (double)AllocationOperations, 0);
        }

        table.Print(output);
    }
}
