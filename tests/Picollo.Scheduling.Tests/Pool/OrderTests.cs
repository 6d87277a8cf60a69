using System.Diagnostics;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Who goes before whom.</summary>
public class OrderTests
{
    [Fact]
    public async Task What_is_interrupted_by_its_betters_goes_on_before_its_equals()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var order = new List<string>();
        Task[] others = [];

        await pool.RunAsync(async cpu =>
        {
            others =
            [
                pool.RunAsync(_ => order.Add("equal")),
                pool.RunAsync(_ => order.Add("better"), new CpuTaskOptions { Priority = CpuTaskPriority.High }),
            ];
            await cpu.CheckpointAsync();
            order.Add("interrupted");
        }).Soon();
        await Task.WhenAll(others).Soon();

        order.Should().Equal("better", "interrupted", "equal");
    }

    [Fact]
    public async Task Waiting_tasks_begin_by_priority_and_then_in_order_of_arrival()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var begun = new List<string>();
        Task[] tasks;
        using (Held.Worker(pool))
        {
            string[] submitted = ["low 1", "normal 1", "high 1", "low 2", "normal 2", "high 2"];
            tasks = [.. submitted.Select(name => pool.RunAsync(
                cpu => begun.Add(cpu.Name), new CpuTaskOptions { Name = name, Priority = Enum.Parse<CpuTaskPriority>(name.Split(' ')[0], ignoreCase: true) }))];
        }

        await Task.WhenAll(tasks).Soon();
        begun.Should().Equal("high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2");
    }

    [Theory]
    [InlineData(CpuTaskPriority.Normal, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.High)]
    [InlineData(CpuTaskPriority.Normal, CpuTaskPriority.High)]
    public async Task A_task_that_comes_has_the_worker_of_a_running_one_at_its_next_checkpoint(CpuTaskPriority running, CpuTaskPriority coming)
    {
        // Slices do not end here: it is not time that makes room.
        await using CpuWorkerPool pool = Pools.Create();
        bool hasRun = false;
        using var begun = new ManualResetEventSlim();
        Task first = pool.RunAsync(async cpu =>
        {
            begun.Set();
            while (!Volatile.Read(ref hasRun))
            {
                await cpu.CheckpointAsync();
            }
        }, new CpuTaskOptions { Priority = running });
        begun.Await();

        await pool.RunAsync(_ => Volatile.Write(ref hasRun, true), new CpuTaskOptions { Priority = coming }).Soon();

        await first.Soon();
    }

    [Fact]
    public async Task A_task_of_a_lesser_priority_makes_nobody_step_aside()
    {
        await using CpuWorkerPool pool = Pools.Create();
        bool hasRun = false;
        using var begun = new ManualResetEventSlim();
        using var submitted = new ManualResetEventSlim();
        Task<bool> first = pool.RunAsync(async cpu =>
        {
            begun.Set();
            submitted.Await();
            await cpu.CheckpointAsync();
            return hasRun;
        });
        begun.Await();
        Task low = pool.RunAsync(_ => { hasRun = true; }, new CpuTaskOptions { Priority = CpuTaskPriority.Low });
        submitted.Set();

        (await first.Soon()).Should().BeFalse();
        await low.Soon();
    }

    [Fact]
    public async Task The_least_of_the_running_tasks_makes_room()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 3);
        using var all = new CountdownEvent(3);
        using var come = new ManualResetEventSlim();
        using var hasBegun = new ManualResetEventSlim();
        Task<int>[] running = [.. new[] { CpuTaskPriority.High, CpuTaskPriority.Low, CpuTaskPriority.Normal }.Select(priority => pool.RunAsync(
            async cpu =>
            {
                all.Signal();
                come.Await();
                await cpu.CheckpointAsync();
                hasBegun.Await(); // until then, no worker is free for it but one that is given up
                return cpu.GetUsage().SliceCount;
            },
            new CpuTaskOptions { Priority = priority }))];
        all.Wait(Pools.Deadline).Should().BeTrue();

        Task coming = pool.RunAsync(_ => hasBegun.Set());
        come.Set();

        (await Task.WhenAll(running).Soon()).Should().Equal(1, 2, 1);
        await coming.Soon();
    }

    [Fact]
    public async Task Of_equals_the_one_that_has_had_its_worker_longest_makes_room()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        using var come = new ManualResetEventSlim();
        using var hasBegun = new ManualResetEventSlim();
        Task<int> first = await Start();
        Task<int> second = await Start();

        Task coming = pool.RunAsync(_ => hasBegun.Set());
        come.Set();

        (await first.Soon()).Should().Be(2, "it is set aside, for another slice");
        (await second.Soon()).Should().Be(1);
        await coming.Soon();

        async Task<Task<int>> Start()
        {
            var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task<int> task = pool.RunAsync(async cpu =>
            {
                begun.SetResult();
                come.Await();
                await cpu.CheckpointAsync();
                hasBegun.Await();
                return cpu.GetUsage().SliceCount;
            });
            await begun.Task.Soon();
            return task;
        }
    }

    [Fact]
    public async Task A_task_that_was_set_aside_waits_for_new_ones()
    {
        // Until it has been passed over for four slices: a machine that was that slow tries again.
        var slice = TimeSpan.FromMilliseconds(100);
        await using CpuWorkerPool pool = Pools.Create(slice: slice);
        for (bool isSlow = true; isSlow;)
        {
            var watch = Stopwatch.StartNew();
            var order = new List<string>();
            bool isLast = false;
            Task old = await UsedUp(
                pool,
                cpu =>
                {
                    order.Add(cpu.Name);
                    return Task.CompletedTask;
                },
                () => Volatile.Read(ref isLast));
            var held = Held.Worker(pool);
            Task[] more = [.. Enumerable.Range(0, 3).Select(i => pool.RunAsync(cpu => order.Add(cpu.Name), new CpuTaskOptions { Name = $"new {i}" }))];
            Volatile.Write(ref isLast, true);
            await held.Release();
            await Task.WhenAll(more.Append(old)).Soon();

            isSlow = watch.Elapsed > 4 * slice;
            order.Where(name => name != "old").Should().Equal("new 0", "new 1", "new 2");
            (isSlow || order[^1] == "old").Should().BeTrue("it came at {0}", order.IndexOf("old"));
        }
    }

    [Fact]
    public async Task A_task_that_was_passed_over_has_a_whole_slice_before_new_ones()
    {
        var slice = TimeSpan.FromMilliseconds(50);
        await using CpuWorkerPool pool = Pools.Create(slice: slice);
        for (bool isSlow = true; isSlow;)
        {
            var watch = new Stopwatch();
            bool isOver = false, hasNewRun = false, hasLaterRun = false;
            Task? later = null;
            Task old = await UsedUp(
                pool,
                async cpu =>
                {
                    hasNewRun.Should().BeFalse("it is the first");
                    later = pool.RunAsync(_ => { hasLaterRun = true; });
                    for (int i = 0; i < 1000; i++)
                    {
                        await cpu.CheckpointAsync();
                    }

                    isSlow = watch.Elapsed > slice;
                    (isSlow || !(hasNewRun || hasLaterRun)).Should().BeTrue("neither what waits interrupts it nor what comes");
                },
                () => Volatile.Read(ref isOver));
            var held = Held.Worker(pool);
            Task waiting = pool.RunAsync(_ => { hasNewRun = true; });
            Pools.Spin(5 * slice);
            Volatile.Write(ref isOver, true);
            watch.Start(); // before its slice
            await held.Release();

            await old.Soon();
            await Task.WhenAll(waiting, later!).Soon();
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Long_tasks_take_turns()
    {
        const int tasks = 4;
        const int rounds = 25;
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        var turns = new List<int>();
        Task[] all;
        using (Held.Worker(pool))
        {
            all = [.. Enumerable.Range(0, tasks).Select(i => pool.RunAsync(async cpu =>
            {
                while (turns.Count < tasks * rounds)
                {
                    if (turns.Count == 0 || turns[^1] != i)
                    {
                        turns.Add(i);
                    }

                    Thread.SpinWait(20);
                    await cpu.CheckpointAsync();
                }
            }))];
        }

        await Task.WhenAll(all).Soon();

        // At first some still have the advantage of being new; then it is always the one that has waited longest.
        const int begin = 8 * tasks;
        turns.Should().HaveCount(tasks * rounds);
        turns.Skip(begin + tasks).Should().Equal(turns.Skip(begin).SkipLast(tasks));
        turns.Skip(begin).Take(tasks).Should().OnlyHaveUniqueItems();
    }

    [Theory]
    [InlineData(CpuTaskPriority.Normal, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.High)]
    [Trait("Category", "Slow")]
    public async Task Under_an_endless_stream_of_short_tasks_a_long_one_has_a_fifth_of_the_slices(CpuTaskPriority priority, CpuTaskPriority others)
    {
        var slice = TimeSpan.FromMilliseconds(10);
        var small = TimeSpan.FromMilliseconds(2);
        await using CpuWorkerPool pool = Pools.Create(slice: slice);
        int smallTasks = 0, stalled = 0;
        bool isOver = false;

        // Two that always leave another behind before they end, so that one waits at any time.
        Task[] streams = [.. Enumerable.Range(0, 2).Select(_ => pool.RunAsync(Stream, new CpuTaskOptions { Priority = others }))];
        (int slices, int meanwhile) = await pool.RunAsync(
            async cpu =>
            {
                int before = smallTasks;

                // 50 ms, and more where the timer comes late.
                for (var work = TimeSpan.Zero; work < 5 * slice || cpu.GetUsage().SliceCount < 4; work += TimeSpan.FromMicroseconds(20))
                {
                    Pools.Spin(TimeSpan.FromMicroseconds(20));
                    await cpu.CheckpointAsync();
                }

                return (cpu.GetUsage().SliceCount, smallTasks - before);
            },
            new CpuTaskOptions { Priority = priority }).Soon();
        Volatile.Write(ref isOver, true);
        await Task.WhenAll(streams).Soon();

        // Between two slices of it there are four of small tasks at the most, each of which takes 2 ms or more, and one that has just begun.
        // A small task that the machine stalled for a slice is passed over, too, and may get one of the long one's turns.
        meanwhile.Should().BeLessThanOrEqualTo(((slices - 1) * ((int)(4 * slice / small) + 1)) + (stalled * ((int)(5 * slice / small) + 1)));
        meanwhile.Should().BePositive("they went on beside it");

        async Task Stream(CpuTaskContext cpu)
        {
            smallTasks++;
            Pools.Spin(small);
            await cpu.CheckpointAsync();
            stalled += cpu.GetUsage().SliceCount > 1 ? 1 : 0;
            if (!Volatile.Read(ref isOver))
            {
                _ = pool.RunAsync(Stream, new CpuTaskOptions { Priority = others });
            }
        }
    }

    [Fact]
    public async Task A_slice_ends_in_time_though_nobody_new_comes()
    {
        // Two old tasks that wait for each other to have had a turn: without the timer, the first would go on for ever.
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        var turns = new int[2];

        await Task.WhenAll(Enumerable.Range(0, 2).Select(i => pool.RunAsync(async cpu =>
        {
            while (turns[1 - i] < 20)
            {
                turns[i] = cpu.GetUsage().SliceCount;
                await cpu.CheckpointAsync();
            }

            turns[i] = int.MaxValue;
        }))).Soon();
    }

    /// <summary>A task that has used up its first slice when this completes (it may lose some before, on a busy machine), goes on until
    /// it is told, and then does its work.</summary>
    private static async Task<Task> UsedUp(CpuWorkerPool pool, Func<CpuTaskContext, Task> work, Func<bool> isOver)
    {
        bool isUsedUp = false;
        Task task = pool.RunAsync(
            async cpu =>
            {
                while (!isOver())
                {
                    Volatile.Write(ref isUsedUp, !((CpuTask)SynchronizationContext.Current!).IsShort);
                    await cpu.CheckpointAsync();
                }

                await work(cpu);
            },
            new CpuTaskOptions { Name = "old" });
        await Pools.Until(() => Volatile.Read(ref isUsedUp));
        return task;
    }
}
