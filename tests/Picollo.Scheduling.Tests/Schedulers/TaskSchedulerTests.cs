namespace Picollo.Scheduling.Tests.Schedulers;

/// <summary>Tasks and loops of the framework on a pool.</summary>
public class TaskSchedulerTests : OnePool
{
    [Fact]
    public async Task A_part_that_another_part_waits_for_runs_inline()
    {
        Thread[] threads = await Start(() => new[] { Thread.CurrentThread, Task.Factory.StartNew(() => Thread.CurrentThread).Result }).Soon();

        threads[1].Should().BeSameAs(threads[0], "it does not need a second worker");
        Pool.TaskScheduler.MaximumConcurrencyLevel.Should().Be(1);
    }

    [Fact]
    public async Task All_parts_of_a_parallel_loop_run_on_the_pool_and_respect_the_worker_count()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        var running = new ConcurrencyCounter();
        int elsewhere = 0;
        var options = new ParallelOptions { TaskScheduler = pool.TaskScheduler };

        await Parallel.ForEachAsync(Enumerable.Range(0, 50), options, async (item, token) =>
        {
            One();
            await (item % 10 == 0 ? Task.Delay(1, token) : Task.CompletedTask);
            One();
            await Task.Yield();
            One();
        }).Soon();
        await Task.Factory.StartNew(
            () => Parallel.For(0, 50, options, _ => One()), CancellationToken.None, TaskCreationOptions.None, pool.TaskScheduler).Soon();

        running.Max.Should().BeInRange(1, 2);
        elsewhere.Should().Be(0);

        void One()
        {
            running.Enter();
            Interlocked.Add(ref elsewhere, pool.HasThisThread() ? 0 : 1);
            Pools.Spin(TimeSpan.FromMilliseconds(0.2));
            running.Leave();
        }
    }

    [Fact]
    public async Task Parts_that_remain_after_the_end_of_the_pool_run_in_the_thread_pool()
    {
        var released = new TaskCompletionSource();
        Task<bool> task = Start(async () =>
        {
            await released.Task;
            return Pool.HasThisThread();
        }).Unwrap();
        await Pool.DrainAsync().Soon();
        released.SetResult();

        (await task.Soon()).Should().BeFalse();
    }

    private Task<T> Start<T>(Func<T> part) =>
        Task.Factory.StartNew(part, CancellationToken.None, TaskCreationOptions.None, Pool.TaskScheduler);
}
