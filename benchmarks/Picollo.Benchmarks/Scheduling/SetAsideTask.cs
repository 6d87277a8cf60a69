using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Measures the duration of a 50 ms task on one worker, while there are always more 2 ms tasks than the worker can run.</summary>
internal static class SetAsideTask
{
    private const int Repetitions = 9;
    private const int Streams = 4;

    /// <summary>The maximum delay of the timer that ends a slice.</summary>
    private static readonly TimeSpan TimerStep = TimeSpan.FromMilliseconds(1);

    public static void Print(TextWriter output, TaskSizes sizes)
    {
        Run[] runs = [.. Enumerable.Range(0, Repetitions).Select(_ => Measure(sizes).GetAwaiter().GetResult()).OrderBy(run => run.Wall / run.Bound)];
        TextTable table = new(
            "50 ms of work during an endless stream of 2 ms tasks", "wall, ms", "CPU, ms", "slices", "2 ms tasks", "bound, ms", "verdict");
        Add(table, "median", runs[Repetitions / 2]);
        Add(table, "worst", runs[^1]);
        table.Print(output);
    }

    private static void Add(TextTable table, string name, Run run) => table.Add(
        name, LatencyTable.Text(run.Wall.TotalMilliseconds), LatencyTable.Text(run.CpuTime.TotalMilliseconds), $"{run.SliceCount}",
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
        (TimeSpan cpuTime, int slices) = await pool.RunAsync(async cpu =>
        {
            _ = await longWork.ComputeAsync(cpu);
            return (cpu.GetCpuTime(), cpu.SliceCount);
        });
        TimeSpan wall = Stopwatch.GetElapsedTime(start);
        double shortTasks = shortWork.Done - before;
        await stop.CancelAsync();
        await Task.WhenAll(streams);
        return new Run(wall, cpuTime, slices, (long)shortTasks, Bound(options.TimeSlice, cpuTime, pool.Statistics.Overruns));
    }

    /// <summary>Returns the bound that <see cref="CpuWorkerPool"/> guarantees for a single waiting task: one period for each slice of the task. It
    /// adds the delays of slices: that of the timer, and the longest overrun in this run.</summary>
    private static TimeSpan Bound(TimeSpan slice, TimeSpan cpu, ReadOnlyHdrHistogram overrun)
    {
        TimeSpan late = TimerStep + TimeSpan.FromMicroseconds(overrun.GetPercentileValue(100) / 1e3);
        return Math.Ceiling(cpu / slice) * ((CpuTaskQueue.PeriodInSlices * slice) + late);
    }

    private static async Task Stream(CpuWorkerPool pool, ChecksumTask work, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            _ = await pool.RunAsync(work.ComputeAsync, cancellationToken: CancellationToken.None);
        }
    }

    private readonly record struct Run(TimeSpan Wall, TimeSpan CpuTime, int SliceCount, long ShortTasks, TimeSpan Bound);
}
