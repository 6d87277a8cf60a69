using System.Diagnostics;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>The order in which tasks run.</summary>
public class OrderTests
{
    [Fact]
    public async Task A_task_interrupted_by_a_higher_priority_continues_before_tasks_of_its_rank()
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
    public async Task Waiting_tasks_start_by_priority_and_then_in_order_of_arrival()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var started = new List<string>();
        Task[] tasks;
        using (Held.Worker(pool))
        {
            string[] submitted = ["low 1", "normal 1", "high 1", "low 2", "normal 2", "high 2"];
            tasks = [.. submitted.Select(name => pool.RunAsync(
                cpu => started.Add(cpu.Name), new CpuTaskOptions { Name = name, Priority = Enum.Parse<CpuTaskPriority>(name.Split(' ')[0], ignoreCase: true) }))];
        }

        await Task.WhenAll(tasks).Soon();
        started.Should().Equal("high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2");
    }

    [Theory]
    [InlineData(CpuTaskPriority.Normal, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.High)]
    [InlineData(CpuTaskPriority.Normal, CpuTaskPriority.High)]
    public async Task An_arriving_task_gets_the_worker_of_a_running_task_at_its_next_checkpoint(CpuTaskPriority running, CpuTaskPriority coming)
    {
        // Slices do not end here, so tasks do not yield because of time.
        await using CpuWorkerPool pool = Pools.Create();
        bool hasRun = false;
        using var started = new ManualResetEventSlim();
        Task first = pool.RunAsync(async cpu =>
        {
            started.Set();
            while (!Volatile.Read(ref hasRun))
            {
                await cpu.CheckpointAsync();
            }
        }, new CpuTaskOptions { Priority = running });
        started.Await();

        await pool.RunAsync(_ => Volatile.Write(ref hasRun, true), new CpuTaskOptions { Priority = coming }).Soon();

        await first.Soon();
    }

    [Fact]
    public async Task A_task_of_lower_priority_does_not_interrupt_a_running_task()
    {
        await using CpuWorkerPool pool = Pools.Create();
        bool hasRun = false;
        using var started = new ManualResetEventSlim();
        using var submitted = new ManualResetEventSlim();
        Task<bool> first = pool.RunAsync(async cpu =>
        {
            started.Set();
            submitted.Await();
            await cpu.CheckpointAsync();
            return hasRun;
        });
        started.Await();
        Task low = pool.RunAsync(_ => { hasRun = true; }, new CpuTaskOptions { Priority = CpuTaskPriority.Low });
        submitted.Set();

        (await first.Soon()).Should().BeFalse();
        await low.Soon();
    }

    [Fact]
    public async Task The_running_task_with_the_lowest_priority_yields()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 3);
        using var all = new CountdownEvent(3);
        using var come = new ManualResetEventSlim();
        using var hasStarted = new ManualResetEventSlim();
        Task<int>[] running = [.. new[] { CpuTaskPriority.High, CpuTaskPriority.Low, CpuTaskPriority.Normal }.Select(priority => pool.RunAsync(
            async cpu =>
            {
                all.Signal();
                come.Await();
                await cpu.CheckpointAsync();
                hasStarted.Await(); // until then, only a worker that another task yields is available
                return cpu.SliceCount;
            },
            new CpuTaskOptions { Priority = priority }))];
        all.Wait(Pools.Deadline).Should().BeTrue();

        Task coming = pool.RunAsync(_ => hasStarted.Set());
        come.Set();

        (await Task.WhenAll(running).Soon()).Should().Equal(1, 2, 1);
        await coming.Soon();
    }

    [Fact]
    public async Task Among_equal_ranks_the_task_that_has_had_its_worker_longest_yields()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        using var come = new ManualResetEventSlim();
        using var hasStarted = new ManualResetEventSlim();
        Task<int> first = await Start();
        Task<int> second = await Start();

        Task coming = pool.RunAsync(_ => hasStarted.Set());
        come.Set();

        (await first.Soon()).Should().Be(2, "it was set aside and started another slice");
        (await second.Soon()).Should().Be(1);
        await coming.Soon();

        async Task<Task<int>> Start()
        {
            var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task<int> task = pool.RunAsync(async cpu =>
            {
                started.SetResult();
                come.Await();
                await cpu.CheckpointAsync();
                hasStarted.Await();
                return cpu.SliceCount;
            });
            await started.Task.Soon();
            return task;
        }
    }

    [Fact]
    public async Task A_task_that_was_set_aside_waits_for_short_tasks()
    {
        // It waits until it has been overtaken for four slices. If the machine was too slow, try again.
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
            (isSlow || order[^1] == "old").Should().BeTrue("it ran at position {0}", order.IndexOf("old"));
        }
    }

    [Fact]
    public async Task An_overtaken_task_gets_a_whole_slice_before_short_tasks()
    {
        var slice = TimeSpan.FromMilliseconds(50);
        await using CpuWorkerPool pool = Pools.Create(slice: slice);
        for (bool isSlow = true; isSlow;)
        {
            var watch = new Stopwatch();
            bool isDone = false, hasNewRun = false, hasLaterRun = false;
            Task? later = null;
            Task old = await UsedUp(
                pool,
                async cpu =>
                {
                    hasNewRun.Should().BeFalse("it runs first");
                    later = pool.RunAsync(_ => { hasLaterRun = true; });
                    for (int i = 0; i < 1000; i++)
                    {
                        await cpu.CheckpointAsync();
                    }

                    isSlow = watch.Elapsed > slice;
                    (isSlow || !(hasNewRun || hasLaterRun)).Should().BeTrue("neither waiting nor arriving tasks interrupt it");
                },
                () => Volatile.Read(ref isDone));
            var held = Held.Worker(pool);
            Task waiting = pool.RunAsync(_ => { hasNewRun = true; });
            Pools.Spin(5 * slice);
            Volatile.Write(ref isDone, true);
            watch.Start(); // before its slice starts
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

        // Initially, some tasks are still short. Then the task that has waited longest always runs next.
        const int start = 8 * tasks;
        turns.Should().HaveCount(tasks * rounds);
        turns.Skip(start + tasks).Should().Equal(turns.Skip(start).SkipLast(tasks));
        turns.Skip(start).Take(tasks).Should().OnlyHaveUniqueItems();
    }

    [Theory]
    [InlineData(CpuTaskPriority.Normal, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.High)]
    [Trait("Category", "Slow")]
    public async Task With_an_endless_stream_of_short_tasks_a_long_task_gets_a_fifth_of_the_slices(CpuTaskPriority priority, CpuTaskPriority others)
    {
        var slice = TimeSpan.FromMilliseconds(10);
        var small = TimeSpan.FromMilliseconds(2);
        await using CpuWorkerPool pool = Pools.Create(slice: slice);
        int smallTasks = 0, stalled = 0;
        bool isDone = false;

        // Two tasks, each of which starts another before it ends, so that one always waits.
        Task[] streams = [.. Enumerable.Range(0, 2).Select(_ => pool.RunAsync(Stream, new CpuTaskOptions { Priority = others }))];
        (int slices, int meanwhile) = await pool.RunAsync(
            async cpu =>
            {
                int before = smallTasks;

                // 50 ms, and more if the timer is late.
                for (var work = TimeSpan.Zero; work < 5 * slice || cpu.SliceCount < 4; work += TimeSpan.FromMicroseconds(20))
                {
                    Pools.Spin(TimeSpan.FromMicroseconds(20));
                    await cpu.CheckpointAsync();
                }

                return (cpu.SliceCount, smallTasks - before);
            },
            new CpuTaskOptions { Priority = priority }).Soon();
        Volatile.Write(ref isDone, true);
        await Task.WhenAll(streams).Soon();

        // Between two of its slices, there are at most four slices of small tasks, each of which takes 2 ms or more, and one that has just started.
        // A small task that the machine stalls for a slice is also overtaken, and may get one of the slices of the long task.
        meanwhile.Should().BeLessThanOrEqualTo(((slices - 1) * ((int)(4 * slice / small) + 1)) + (stalled * ((int)(5 * slice / small) + 1)));
        meanwhile.Should().BePositive("they continued meanwhile");

        async Task Stream(CpuTaskContext cpu)
        {
            smallTasks++;
            Pools.Spin(small);
            await cpu.CheckpointAsync();
            stalled += cpu.SliceCount > 1 ? 1 : 0;
            if (!Volatile.Read(ref isDone))
            {
                _ = pool.RunAsync(Stream, new CpuTaskOptions { Priority = others });
            }
        }
    }

    [Fact]
    public async Task A_slice_ends_in_time_even_if_no_task_arrives()
    {
        // Two long tasks that wait for each other to run: without the timer, the first one would never yield.
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        var turns = new int[2];

        await Task.WhenAll(Enumerable.Range(0, 2).Select(i => pool.RunAsync(async cpu =>
        {
            while (turns[1 - i] < 20)
            {
                turns[i] = cpu.SliceCount;
                await cpu.CheckpointAsync();
            }

            turns[i] = int.MaxValue;
        }))).Soon();
    }

    /// <summary>A task that has used up its first slice when this completes (on a busy machine, it may lose some slices before), continues
    /// until it is signaled, and then does its work.</summary>
    private static async Task<Task> UsedUp(CpuWorkerPool pool, Func<CpuTaskContext, Task> work, Func<bool> isDone)
    {
        bool isUsedUp = false;
        Task task = pool.RunAsync(
            async cpu =>
            {
                while (!isDone())
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
