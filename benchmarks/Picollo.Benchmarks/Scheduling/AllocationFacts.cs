using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Scheduling.Contenders;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Bytes that checkpoints and submissions allocate.</summary>
internal static class AllocationFacts
{
    private const int Checkpoints = 1_000_000;
    private const int Operations = 20_000;

    public static void Print(TextWriter output, IReadOnlyList<Row> rows)
    {
        double ofThreeObjects = OfThreeObjects();
        FactTable table = new("Allocated by an operation, on all threads");
        foreach (Contender contender in rows.Select(row => row.Measured).Distinct())
        {
            switch (contender)
            {
                case Checkpoints checkpoints:
                    table.Add(checkpoints.Name, checkpoints.AllocatedBytes(Checkpoints) / (double)Checkpoints, 0);
                    break;
                case PoolSubmits submits:
                    table.Add($"{submits.Name}: three objects", BytesOf(submits), ofThreeObjects);
                    break;
                case TaskRuns or CappedTaskRuns or ExclusiveSchedulerStarts:
                    table.Add(contender.Name, BytesOf((Submits)contender));
                    break;
            }
        }

        table.Print(output);
    }

    // The flow itself, its task and what the queue grows by do not count: they are not whole bytes an operation.
    private static double BytesOf(Submits submits) => Math.Floor(submits.AllocatedBytes(Operations) / (double)Operations);

    /// <summary>The pool's own task, its completion source and the task that is awaited, made and not submitted.</summary>
    private static double OfThreeObjects()
    {
        CpuScheduler scheduler = new(new CpuWorkerPoolOptions());
        Action<CpuTaskContext> body = static _ => { };
        object[] kept = new object[Operations];
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < kept.Length; i++)
        {
            kept[i] = new SyncCpuTask(scheduler, body, nameof(OfThreeObjects), CpuPriority.Normal, CancellationToken.None);
        }

        double bytes = (GC.GetAllocatedBytesForCurrentThread() - before) / (double)kept.Length;
        scheduler.Cancel();
        return bytes;
    }
}
