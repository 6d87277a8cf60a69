using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Scheduling.Contenders;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Who is compared with whom, and the targets.</summary>
internal static class SchedulingRows
{
    public static IEnumerable<Row> Create()
    {
        const string Checkpoint = "A checkpoint while the slice lasts, with its loop";
        yield return new Row(Checkpoint, new AwaitedCheckpoints(), LimitNanoseconds: 2.5);
        yield return new Row(Checkpoint, new BlockingCheckpoints(), LimitNanoseconds: 2.5);

        // Task.Run's work and what comes after it are done by one thread, one after the other; the others hand over and back.
        const string Submit = "Submit and await an empty task, back to back";
        HandOver floor = new();
        yield return new Row(Submit, floor);
        yield return new Row(
            Submit, new PoolSubmits("CpuWorkerPool.RunAsync", pool => pool.RunAsync(static _ => { })), floor, LimitNanoseconds: 1_200);
        yield return new Row(Submit, new PoolSubmits("CpuWorkerPool.RunAsync, async body", pool => pool.RunAsync(static _ => Task.CompletedTask)), floor);
        yield return new Row(Submit, new TaskRuns(), floor);
        yield return new Row(Submit, new CappedTaskRuns(), floor);
        yield return new Row(Submit, new ExclusiveSchedulerStarts(), floor);
    }
}
