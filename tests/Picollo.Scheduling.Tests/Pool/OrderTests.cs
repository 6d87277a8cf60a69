namespace Picollo.Scheduling.Tests.Pool;

/// <summary>The order in which tasks run.</summary>
public class OrderTests : OnePool
{
    [Fact]
    public async Task A_task_interrupted_by_a_higher_priority_continues_before_tasks_of_its_rank()
    {
        var order = new List<string>();
        Task[] others = [];

        await Pool.RunAsync(async cpu =>
        {
            others =
            [
                Pool.RunAsync(_ => order.Add("equal")),
                Pool.RunAsync(_ => order.Add("better"), new CpuTaskOptions { Priority = CpuTaskPriority.High }),
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
        var started = new List<string>();
        Task[] tasks;
        using (Held.Worker(Pool))
        {
            string[] submitted = ["low 1", "normal 1", "high 1", "low 2", "normal 2", "high 2"];
            tasks = [.. submitted.Select(name => Pool.RunAsync(
                cpu => started.Add(cpu.Name), new CpuTaskOptions { Name = name, Priority = Enum.Parse<CpuTaskPriority>(name.Split(' ')[0], ignoreCase: true) }))];
        }

        await Task.WhenAll(tasks).Soon();
        started.Should().Equal("high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2");
    }

    [Theory]
    [InlineData(CpuTaskPriority.Normal, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.Normal)]
    [InlineData(CpuTaskPriority.Low, CpuTaskPriority.High)]
    public async Task An_arriving_task_gets_the_worker_of_a_running_task_at_its_next_checkpoint(CpuTaskPriority running, CpuTaskPriority coming)
    {
        // Slices do not end here, so tasks do not yield because of time.
        Busy first = Busy.Start(Pool, options: new CpuTaskOptions { Priority = running });

        await Pool.RunAsync(_ => first.Stop(), new CpuTaskOptions { Priority = coming }).Soon();

        await first.Task.Soon();
    }

    [Fact]
    public async Task A_task_of_lower_priority_does_not_interrupt_a_running_task()
    {
        bool hasRun = false;
        Task? low = null;

        bool wasInterrupted = await Pool.RunAsync(async cpu =>
        {
            low = Pool.RunAsync(_ => { hasRun = true; }, new CpuTaskOptions { Priority = CpuTaskPriority.Low });
            await cpu.CheckpointAsync();
            return hasRun;
        }).Soon();

        wasInterrupted.Should().BeFalse();
        await low!.Soon();
    }

    [Theory]
    [InlineData(new[] { CpuTaskPriority.High, CpuTaskPriority.Low, CpuTaskPriority.Normal }, new[] { 1, 2, 1 })]
    [InlineData(new[] { CpuTaskPriority.Normal, CpuTaskPriority.Normal }, new[] { 2, 1 })]
    public async Task The_task_with_the_lowest_priority_yields_and_among_them_the_first_that_started(CpuTaskPriority[] priorities, int[] slices)
    {
        await using CpuWorkerPool pool = Pools.Create(priorities.Length);
        using var come = new ManualResetEventSlim();
        using var hasStarted = new ManualResetEventSlim();
        var running = new List<Task<int>>();
        foreach (CpuTaskPriority priority in priorities)
        {
            running.Add(pool.RunAsync(
                async cpu =>
                {
                    come.Await();
                    await cpu.CheckpointAsync();
                    hasStarted.Await(); // until then, only a worker that another task yields is available
                    return cpu.SliceCount;
                },
                new CpuTaskOptions { Priority = priority }));
            await Pools.Until(() => pool.Statistics.GetRunningTasks().Count == running.Count);
        }

        Task coming = pool.RunAsync(_ => hasStarted.Set());
        come.Set();

        (await Task.WhenAll(running).Soon()).Should().Equal(slices);
        await coming.Soon();
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
}
