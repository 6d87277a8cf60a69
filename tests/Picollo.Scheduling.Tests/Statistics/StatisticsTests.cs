using System.Diagnostics;
using Picollo.Cpu;
using Picollo.Metrics;
using Picollo.Scheduling.Tests.Queue;
using Usage = (System.TimeSpan CpuTime, int SliceCount, System.TimeSpan WaitTime);

namespace Picollo.Scheduling.Tests.Statistics;

public class StatisticsTests : OnePool
{
    [Fact]
    public async Task Tasks_are_counted_by_outcome()
    {
        CpuWorkerStatistics statistics = Pool.Statistics;
        using var source = new CancellationTokenSource();
        var held = Held.Worker(Pool);
        Task[] tasks =
        [
            .. Enumerable.Range(0, 3).Select(_ => Pool.RunAsync(_ => { })),
            .. Enumerable.Range(0, 4).Select(_ => Pool.RunAsync(_ => Task.FromException(new FormatException()))),
            .. Enumerable.Range(0, 5).Select(_ => Pool.RunAsync(_ => { }, cancellationToken: source.Token)),
            .. Enumerable.Range(0, 6).Select(_ => Pool.RunAsync(_ => throw new OperationCanceledException())),
        ];

        statistics.SubmittedCount.Should().Be(19);
        statistics.WaitingCount.Should().Be(18);
        (statistics.CompletedCount + statistics.FailedCount + statistics.CanceledCount).Should().Be(0);
        await source.CancelAsync();
        statistics.CanceledCount.Should().Be(5);
        statistics.WaitingCount.Should().Be(13);
        await held.Release();
        await Task.WhenAll(tasks).Ended();

        statistics.Should().BeSameAs(Pool.Statistics);
        (statistics.SubmittedCount, statistics.WaitingCount).Should().Be((19, 0));
        (statistics.CompletedCount, statistics.FailedCount, statistics.CanceledCount).Should().Be((4, 4, 11));
    }

    [Fact]
    public async Task A_pool_continues_with_new_histograms_if_its_histograms_are_disposed()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        await Overrun();
        CpuWorkerStatistics statistics = pool.Statistics;
        foreach (ReadOnlyHdrHistogram each in (ReadOnlyHdrHistogram[])[statistics.QueueWaits, statistics.SliceLengths, statistics.Overruns, .. statistics.GetOverrunsByTask().Values])
        {
            ((IDisposable)each).Dispose();
        }

        await Overrun(); // the first slice replaces the histograms
        await Overrun();

        statistics.QueueWaits.TotalCount.Should().BeGreaterThanOrEqualTo(2);
        statistics.SliceLengths.TotalCount.Should().BeGreaterThanOrEqualTo(2);
        statistics.Overruns.TotalCount.Should().BeGreaterThanOrEqualTo(1);

        Task Overrun() => pool.RunAsync(
            cpu =>
            {
                while (cpu.SliceCount < 2)
                {
                    Pools.Spin(Pools.Short);
                    cpu.Checkpoint();
                }
            },
            new CpuTaskOptions { Name = "overrun" }).Soon();
    }

    [Fact]
    public async Task Waits_and_slices_are_in_nanoseconds()
    {
        long start = Stopwatch.GetTimestamp();
        var held = Held.Worker(Pool);
        Task<Usage> waiting = Pool.RunAsync(cpu => UsageOf(cpu));
        Pools.Spin(TimeSpan.FromMilliseconds(30));
        await held.Release();

        Usage usage = await waiting.Soon();
        await Pools.Until(() => Pool.Statistics.GetRunningTasks().Count == 0);

        // On any machine, each is at least the spinning time and at most the elapsed time.
        TimeSpan all = Stopwatch.GetElapsedTime(start);
        usage.WaitTime.Should().BeGreaterThanOrEqualTo(TimeSpan.FromMilliseconds(30)).And.BeLessThan(all);
        usage.SliceCount.Should().Be(1);
        foreach (ReadOnlyHdrHistogram histogram in new[] { Pool.Statistics.QueueWaits, Pool.Statistics.SliceLengths })
        {
            Percentile longest = histogram.GetPercentile(100);
            ((double)longest.Value).Should().BeInRange(30e6 * 0.98, all.TotalNanoseconds * 1.02);
        }
    }

    [Fact]
    public async Task The_wait_of_a_task_that_wakes_a_worker_lasts_until_it_is_awake()
    {
        for (int i = 0; i < 20; i++)
        {
            await Task.Delay(1); // longer than an idle worker spins
            long submitted = Stopwatch.GetTimestamp();
            (long started, TimeSpan wait) = await Pool.RunAsync(cpu => (Stopwatch.GetTimestamp(), cpu.WaitTime)).Soon();

            wait.Should().BePositive().And.BeLessThanOrEqualTo(Stopwatch.GetElapsedTime(submitted, started));
        }

        Pool.Statistics.QueueWaits.GetPercentileValue(0).Should().BePositive();
    }

    [Fact]
    public async Task Awaits_in_the_body_do_not_count_as_waits_for_a_worker()
    {
        var wait = new TaskCompletionSource();
        long started = 0, resumed = 0;
        long submitted = Stopwatch.GetTimestamp();
        Task<Usage> task = Pool.RunAsync(async cpu =>
        {
            started = Stopwatch.GetTimestamp();
            await wait.Task;
            resumed = Stopwatch.GetTimestamp();
            return UsageOf(cpu);
        });
        await Pools.Until(() => started != 0 && Pool.Statistics.GetRunningTasks().Count == 0);
        Pools.Spin(TimeSpan.FromMilliseconds(50));
        long over = Stopwatch.GetTimestamp();
        wait.SetResult();

        Usage usage = await task.Soon();

        usage.WaitTime.Should().BeLessThanOrEqualTo(
            Stopwatch.GetElapsedTime(submitted, started) + Stopwatch.GetElapsedTime(over, resumed));
        usage.SliceCount.Should().Be(2);
    }

    private static Usage UsageOf(CpuTaskContext cpu) => (cpu.GetCpuTime(), cpu.SliceCount, cpu.WaitTime);

    /// <summary>Two tasks on one worker, which yield or stop their threads.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_CPU_time_of_a_task_is_the_CPU_time_of_its_slices(bool isBlocking)
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        TimeSpan work = TimeSpan.FromMilliseconds(20);
        var all = Stopwatch.StartNew();

        Usage[] usages = await Task.WhenAll(pool.RunAsync(Work), pool.RunAsync(Work)).Soon();
        TimeSpan elapsed = all.Elapsed;
        Usage idle = await pool.RunAsync(cpu => UsageOf(cpu)).Soon();

        usages.Should().OnlyContain(usage => usage.CpuTime >= work && usage.SliceCount > 1);
        (usages[0].CpuTime + usages[1].CpuTime).Should().BeLessThanOrEqualTo(elapsed, "one worker cannot use more");
        idle.CpuTime.Should().BeLessThan(work, "it does not include earlier tasks");

        async Task<Usage> Work(CpuTaskContext cpu)
        {
            // The time of the task on the thread, measured between its checkpoints.
            for (TimeSpan own = default; own < work;)
            {
                TimeSpan from = CpuUsageReader.GetByThread().Total;
                Pools.Spin(TimeSpan.FromMicroseconds(300));
                own += CpuUsageReader.GetByThread().Total - from;
                await cpu.CheckpointAsync(isBlocking);
            }

            return UsageOf(cpu);
        }
    }

    [Fact]
    public async Task A_task_that_never_yields_is_reported_by_name()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2, slice: Pools.Short);
        CpuWorkerStatistics statistics = pool.Statistics;
        bool isDone = false;
        statistics.GetRunningTasks().Should().BeEmpty();
        Task endless = pool.RunAsync(
            cpu => SpinWait.SpinUntil(() => Volatile.Read(ref isDone) || cpu.CancellationToken.IsCancellationRequested), // also if this test fails
            new CpuTaskOptions { Name = "endless" });

        await Pools.Until(() => statistics.GetRunningTasks() is [{ Name: "endless" } running] && running.Overrun > TimeSpan.FromMilliseconds(2));
        CpuRunningTask one = statistics.GetRunningTasks().Single();
        await Task.Delay(1); // two readings can be closer than the resolution of TimeSpan
        CpuRunningTask later = statistics.GetRunningTasks().Single();

        one.SliceLength.Should().BeGreaterThanOrEqualTo(one.Overrun, "a task that was asked earlier overruns from the start of its slice");
        (later.SliceLength > one.SliceLength && later.Overrun > one.Overrun).Should().BeTrue();
        statistics.Overruns.TotalCount.Should().Be(0, "it has not reached a checkpoint yet");
        Volatile.Write(ref isDone, true);
        await endless.Soon();
        statistics.GetRunningTasks().Should().BeEmpty();
        statistics.GetOverrunsByTask().Should().ContainKey("endless").WhoseValue.TotalCount.Should().Be(1);
        statistics.Overruns.TotalCount.Should().Be(1);
        ((double)statistics.Overruns.GetPercentile(100).Value).Should().BeGreaterThanOrEqualTo(later.Overrun.TotalNanoseconds * 0.98);
    }

    [Fact]
    public void The_overrun_starts_with_the_slice_if_the_task_was_asked_to_yield_before_its_thread_woke()
    {
        var worker = new WorkerSlot { Task = QueueTasks.Create("late", CpuTaskPriority.Normal, isShort: true), SliceStart = 100 };
        worker.GetOverrun(140).Should().BeNull();
        worker.SignaledAt = 150;
        worker.GetOverrun(160).Should().Be(10);

        worker.BeginAt(200);

        worker.GetOverrun(230).Should().Be(30);
    }

    [Fact]
    public async Task Overruns_are_recorded_by_task_name_for_a_limited_number_of_names()
    {
        const int names = CpuWorkerStatistics.MaxTaskNames + 44;
        await using CpuWorkerPool pool = Pools.Create();

        // Each task submits another one, which asks it to yield, so its overrun is the rest of its body.
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < names; i++)
            {
                Task? other = null;
                await pool.RunAsync(cpu => { other = pool.RunAsync(_ => { }, new CpuTaskOptions { Name = "in time" }); }, new CpuTaskOptions { Name = $"task {i}" }).Soon();
                await other!.Soon();
            }
        }

        IReadOnlyDictionary<string, ReadOnlyHdrHistogram> byTask = pool.Statistics.GetOverrunsByTask();
        byTask.Keys.Should().BeEquivalentTo(
            Enumerable.Range(0, CpuWorkerStatistics.MaxTaskNames).Select(i => $"task {i}").Append(CpuWorkerStatistics.OtherTasks));
        byTask.Where(task => task.Key != CpuWorkerStatistics.OtherTasks).Should().OnlyContain(task => task.Value.TotalCount == 2);
        byTask[CpuWorkerStatistics.OtherTasks].TotalCount.Should().Be(2 * 44);
        pool.Statistics.Overruns.TotalCount.Should().Be(2 * names);
    }

    [Fact]
    public async Task A_slice_that_follows_immediately_has_no_wait()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        Task<int> task;
        using (Held.Worker(pool))
        {
            task = pool.RunAsync(async cpu =>
            {
                while (cpu.SliceCount < 6)
                {
                    await cpu.CheckpointAsync();
                }

                return cpu.SliceCount;
            });
            Pools.Spin(TimeSpan.FromMilliseconds(20));
        }

        await task.Soon();
        await pool.DrainAsync().Soon();

        // There are six or seven slices of the task, one of which had to wait, and the slice of the held task.
        pool.Statistics.QueueWaits.GetPercentile(50).Value.Should().Be(0);
        pool.Statistics.QueueWaits.GetPercentile(100).Value.Should().BeGreaterThan(19_000_000);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_run_time_of_an_interrupted_task_is_not_part_of_its_wait()
    {
        long submitted = Stopwatch.GetTimestamp(), started = 0, interrupted = 0;

        await Pool.RunAsync(async cpu =>
        {
            started = Stopwatch.GetTimestamp();
            Pools.Spin(TimeSpan.FromMilliseconds(200));
            interrupted = Stopwatch.GetTimestamp();
            _ = Pool.RunAsync(_ => { });
            await cpu.CheckpointAsync();
        }).Soon();
        await Pool.DrainAsync().Soon();

        long longest = Math.Max(started - submitted, Stopwatch.GetTimestamp() - interrupted);
        ((double)Pool.Statistics.QueueWaits.GetPercentile(100).Value).Should()
            .BeLessThanOrEqualTo(1.02 * Stopwatch.GetElapsedTime(0, longest).TotalNanoseconds);
    }

    [Fact]
    public async Task A_task_that_has_yielded_keeps_its_worker_after_an_ended_wait()
    {
        int slices = await Pool.RunAsync(async cpu =>
        {
            _ = Pool.RunAsync(_ => { });
            await cpu.CheckpointAsync();
            for (int i = 0; i < 10; i++)
            {
                await Pools.Posted();
            }

            return cpu.SliceCount;
        }).Soon();

        slices.Should().Be(2);
    }

    [Fact]
    public async Task A_task_that_reaches_its_checkpoints_has_short_slices_and_one_overrun_each()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);

        // The timer asks it to yield while no task waits, so one slice ends and another one starts.
        int slices = await pool.RunAsync(async cpu =>
        {
            while (cpu.SliceCount < 5)
            {
                await cpu.CheckpointAsync();
            }

            return cpu.SliceCount;
        }, new CpuTaskOptions { Name = "steady" }).Soon();

        await Pools.Until(() => pool.Statistics.GetRunningTasks().Count == 0);
        pool.Statistics.SliceLengths.TotalCount.Should().Be((ulong)slices);
        pool.Statistics.GetOverrunsByTask()["steady"].TotalCount.Should().BeInRange(4, 5, "the last slice may end in time");
        ((double)pool.Statistics.SliceLengths.GetPercentile(50).Value).Should().BeGreaterThanOrEqualTo(Pools.Short.TotalNanoseconds * 0.98);
    }
}
