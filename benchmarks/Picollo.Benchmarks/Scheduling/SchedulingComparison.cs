using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary><c>compare scheduling</c>: measures the cost of the pool, and its effect on short tasks while long tasks run, in about two minutes.</summary>
internal static class SchedulingComparison
{
    public const string Name = "scheduling";

    private const int Repetitions = 401;
    private const int AllocatingCheckpoints = 1_000_000;
    private const int AllocatingSubmits = 20_000;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        List<Row> rows = [.. CreateRows()];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        PrintAllocations(output, rows);
        FirstStatements.PrintAfterIdling(output);
        FirstStatements.PrintOvertaking(output);

        TaskSizes sizes = TaskSizes.Calibrate();
        SetAsideTask.Print(output, sizes);
        MixedLoad.Print(output, sizes);
        Throughput.Print(output, sizes);
        return 0;
    }

    private static IEnumerable<Row> CreateRows()
    {
        const string Checkpoint = "A checkpoint during a slice, including its loop";
        yield return new Row(Checkpoint, new AwaitedCheckpoints(), LimitNanoseconds: 2.5);
        yield return new Row(Checkpoint, new BlockingCheckpoints(), LimitNanoseconds: 2.5);

        // With Task.Run, one thread runs the work and then the continuation. The others hand the work over to another thread and back.
        const string Submit = "Submit and await an empty task, repeatedly";
        HandOver floor = new();
        SemaphoreSlim cap = new(1);
        TaskFactory exclusive = new(new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler);
        yield return new Row(Submit, floor);
        yield return new Row(
            Submit, SubmitsBy.Pool("CpuWorkerPool.RunAsync", pool => pool.RunAsync(static _ => { })), floor, LimitNanoseconds: 1_200);
        yield return new Row(
            Submit, SubmitsBy.Pool("CpuWorkerPool.RunAsync, async body", pool => pool.RunAsync(static _ => Task.CompletedTask)), floor);
        yield return new Row(Submit, new SubmitsBy("Task.Run", static () => Task.Run(static () => { })), floor);
        yield return new Row(Submit, new SubmitsBy("SemaphoreSlim(1) and Task.Run", RunCapped), floor);
        yield return new Row(
            Submit, new SubmitsBy("ConcurrentExclusiveSchedulerPair, StartNew", () => exclusive.StartNew(static () => { })), floor);

        async Task RunCapped()
        {
            await cap.WaitAsync();
            try
            {
                await Task.Run(static () => { });
            }
            finally
            {
                cap.Release();
            }
        }
    }

    private static void PrintAllocations(TextWriter output, List<Row> rows)
    {
        double ofFiveObjects = BytesOfFiveObjects();
        FactTable table = new("Allocations of an operation on all threads");
        foreach (Contender contender in rows.Select(row => row.Measured))
        {
            switch (contender)
            {
                case Checkpoints:
                    table.Add(contender.Name, contender.AllocatedBytes(AllocatingCheckpoints), 0);
                    break;
                case SubmitsBy { IsOfPool: true }:
                    table.Add($"{contender.Name} (target: the size of five objects)", contender.AllocatedBytes(AllocatingSubmits), ofFiveObjects);
                    break;
                case SubmitsBy:
                    table.Add(contender.Name, contender.AllocatedBytes(AllocatingSubmits));
                    break;
            }
        }

        table.Print(output);
    }

    /// <summary>Measures the size of the five objects of a submitted task: the pool's own task, its completion source, the awaited task, and the
    /// execution context of the flow with its map. The tasks are created but not submitted.</summary>
    private static double BytesOfFiveObjects()
    {
        CpuScheduler scheduler = new(new CpuWorkerPoolOptions());
        Action<CpuTaskContext> body = static _ => { };
        ExecutionContext caller = ExecutionContext.Capture()!;
        AsyncLocal<object> flow = new();
        object[] kept = new object[AllocatingSubmits];
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < kept.Length; i++)
        {
            kept[i] = new SyncCpuTask(scheduler, body, options: null, CancellationToken.None);
            flow.Value = kept[i];
            ExecutionContext.Restore(caller);
        }

        double bytes = (GC.GetAllocatedBytesForCurrentThread() - before) / (double)kept.Length;
        scheduler.Cancel();
        return bytes;
    }
}
