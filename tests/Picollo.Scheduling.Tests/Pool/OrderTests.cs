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
    public async Task The_first_started_task_of_the_lowest_priority_yields(CpuTaskPriority[] priorities, int[] slices)
    {
        await using CpuWorkerPool pool = Pools.Create(priorities.Length);
        using var come = new ManualResetEventSlim();
        using var hasStarted = new ManualResetEventSlim();
        using var started = new SemaphoreSlim(0);
        var running = new List<Task<int>>();
        foreach (CpuTaskPriority priority in priorities)
        {
            running.Add(pool.RunAsync(
                async cpu =>
                {
                    started.Release();
                    come.Await();
                    await cpu.CheckpointAsync();
                    hasStarted.Await(); // until then, only a worker that another task yields is available
                    return cpu.SliceCount;
                },
                new CpuTaskOptions { Priority = priority }));
            (await started.WaitAsync(Pools.Deadline)).Should().BeTrue();
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
}
