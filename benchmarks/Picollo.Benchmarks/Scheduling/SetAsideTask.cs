using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>A 50 ms task, one worker, and always more 2 ms tasks than it can run: when does the 50 ms task end?</summary>
internal static class SetAsideTask
{
    private const int Repetitions = 9;
    private const int Streams = 4;

    /// <summary>By which the timer that ends a slice may be late.</summary>
    private static readonly TimeSpan TimerStep = TimeSpan.FromMilliseconds(1);

    public static void Print(TextWriter output, TaskSizes sizes)
    {
        Run[] runs = [.. Enumerable.Range(0, Repetitions).Select(_ => Measure(sizes).GetAwaiter().GetResult()).OrderBy(run => run.Wall / run.Bound)];
        TextTable table = new(
            "50 ms of work under an endless stream of 2 ms tasks", "wall, ms", "its CPU, ms", "its slices", "2 ms tasks meanwhile", "bound, ms", "verdict");
        Add(table, "median", runs[Repetitions / 2]);
        Add(table, "worst", runs[^1]);
        table.Print(output);
    }

    private static void Add(TextTable table, string name, Run run) => table.Add(
        name, LatencyTable.Text(run.Wall.TotalMilliseconds), LatencyTable.Text(run.Usage.CpuTime.TotalMilliseconds), $"{run.Usage.SliceCount}",
        $"{run.ShortTasks}", LatencyTable.Text(run.Bound.TotalMilliseconds),
        run.Wall <= run.Bound ? "ok" : $"MISSED by {LatencyTable.Text((run.Wall - run.Bound).TotalMilliseconds)}");

    private static async Task<Run> Measure(TaskSizes sizes)
    {
        CpuWorkerPoolOptions options = new() { WorkerCount = 1 };
        await using CpuWorkerPool pool = new(options);
        ChecksumTask longWork = new("50 ms", sizes.BigBlocks / 4);
        ChecksumTask shortWork = new("2 ms", sizes.BigBlocks / 100);
        using CancellationTokenSource stop = new();
        Task[] streams = [.. Enumerable.Range(0, Streams).Select(_ => Stream(pool, shortWork, stop.Token))];
        await Task.Delay(options.TimeSlice);

        double before = shortWork.Done;
        long start = Stopwatch.GetTimestamp();
        CpuTaskUsage usage = await pool.RunAsync(async cpu =>
        {
            _ = await longWork.ComputeAsync(cpu);
            return cpu.GetUsage();
        });
        TimeSpan wall = Stopwatch.GetElapsedTime(start);
        double shortTasks = shortWork.Done - before;
        await stop.CancelAsync();
        await Task.WhenAll(streams);
        return new Run(wall, usage, (long)shortTasks, Bound(options.TimeSlice, usage.CpuTime, pool.Statistics.Overrun));
    }

    /// <summary>What <see cref="CpuWorkerPool"/> promises a task that is passed over alone: one slice in every period, for each that
    /// it takes, and what slices are late by: the timer, and whoever came last to a checkpoint in this run.</summary>
    private static TimeSpan Bound(TimeSpan slice, TimeSpan cpu, ReadOnlyHdrHistogram overrun)
    {
        TimeSpan late = TimerStep + TimeSpan.FromMicroseconds(overrun.GetPercentileValue(100) / 1e3);
        return Math.Ceiling(cpu / slice) * ((CpuTaskQueue.PeriodInSlices * slice) + late);
    }

    private static async Task Stream(CpuWorkerPool pool, ChecksumTask work, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            _ = await pool.RunAsync(work.ComputeAsync, CancellationToken.None);
        }
    }

    private readonly record struct Run(TimeSpan Wall, CpuTaskUsage Usage, long ShortTasks, TimeSpan Bound);
}
