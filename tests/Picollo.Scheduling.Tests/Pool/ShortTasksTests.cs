using System.Diagnostics;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>The order of short tasks. If each arriving task moved the running task behind all others, many tasks would share a worker,
/// and each would take as long as all of them.</summary>
public class ShortTasksTests : OnePool
{
    [Fact]
    public async Task A_short_task_that_has_just_started_continues_before_tasks_that_were_already_waiting()
    {
        for (bool isSlow = true; isSlow;)
        {
            var watch = new Stopwatch();

            List<string> order = await OrderWhenTaskArrives(Pool, TimeSpan.Zero, watch);

            isSlow = watch.Elapsed > Pools.Endless / 10;
            (isSlow || order.SequenceEqual(["running", "waiting", "coming"])).Should().BeTrue("the order is {0}", string.Join(", ", order));
        }
    }

    [Theory]
    [InlineData(50, 0)]
    [InlineData(0, 50)]
    public async Task A_short_task_that_has_run_for_a_tenth_of_a_slice_yields_to_a_task_that_arrives_or_came_before(int before, int after)
    {
        await using CpuWorkerPool pool = Pools.Create(slice: TimeSpan.FromMilliseconds(500));

        List<string> order = await OrderWhenTaskArrives(
            pool, TimeSpan.FromMilliseconds(before), new Stopwatch(), TimeSpan.FromMilliseconds(after));

        order.Should().Equal("waiting", "coming", "running");
    }

    [Fact]
    public async Task Interrupted_tasks_do_not_interrupt_the_tasks_that_took_their_places()
    {
        Task? second = null, third = null;
        var order = new List<string>();
        for (bool isSlow = true; isSlow;)
        {
            order.Clear();
            var watch = Stopwatch.StartNew();
            await Pool.RunAsync(async cpu =>
            {
                second = Pool.RunAsync(async cpu =>
                {
                    third = Pool.RunAsync(_ => order.Add("third"));
                    await cpu.CheckpointAsync();
                    order.Add("second");
                });
                await cpu.CheckpointAsync();
                order.Add("first");
            }).Soon();
            await second!.Soon();
            await third!.Soon();

            isSlow = watch.Elapsed > Pools.Endless / 10;
            (isSlow || order.SequenceEqual(["second", "first", "third"])).Should().BeTrue("the order is {0}", string.Join(", ", order));
        }
    }

    /// <summary>Runs a short task while an earlier task waits. Another task arrives before each of its checkpoints.</summary>
    /// <param name="pool">A pool with one worker.</param>
    /// <param name="before">The time that the task runs before its first checkpoint.</param>
    /// <param name="watch">A stopwatch that measures at least the time from the start of the task to its last checkpoint.</param>
    /// <param name="after">The time that the task runs between two checkpoints; zero for a single checkpoint.</param>
    private static async Task<List<string>> OrderWhenTaskArrives(CpuWorkerPool pool, TimeSpan before, Stopwatch watch, TimeSpan after = default)
    {
        var order = new List<string>();
        Task? coming = null;
        var held = Held.Worker(pool);
        Task running = pool.RunAsync(async cpu =>
        {
            Pools.Spin(before);
            coming = pool.RunAsync(_ => order.Add("coming"));
            await cpu.CheckpointAsync();
            if (after > TimeSpan.Zero)
            {
                Pools.Spin(after);
                await cpu.CheckpointAsync();
            }

            watch.Stop();
            order.Add("running");
        });
        Task waiting = pool.RunAsync(_ => order.Add("waiting"));
        watch.Start();
        await held.Release();
        await Task.WhenAll(running, waiting).Soon();
        await coming!.Soon();
        return order;
    }
}
