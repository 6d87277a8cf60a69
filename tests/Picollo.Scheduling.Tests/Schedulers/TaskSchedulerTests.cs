using System.Threading.Tasks.Dataflow;

namespace Picollo.Scheduling.Tests.Schedulers;

/// <summary>Loops and dataflow blocks of the framework on a pool.</summary>
public class TaskSchedulerTests
{
    [Fact]
    public async Task All_parts_of_a_task_run_on_the_pool()
    {
        await using CpuWorkerPool pool = Pools.Create();

        bool[] isThere = await Task.Factory.StartNew(
            async () =>
            {
                bool first = pool.HasThisThread();
                await Task.Delay(1);
                bool second = pool.HasThisThread();
                await Task.Yield();
                return new[] { first, second, pool.HasThisThread() };
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            pool.TaskScheduler).Unwrap().Soon();

        isThere.Should().Equal(true, true, true);
        pool.TaskScheduler.MaximumConcurrencyLevel.Should().Be(1);
    }

    [Fact]
    public async Task A_part_that_another_part_waits_for_runs_inline()
    {
        await using CpuWorkerPool pool = Pools.Create();

        int[] threads = await Task.Factory.StartNew(
            () => new[] { Environment.CurrentManagedThreadId, Task.Factory.StartNew(() => Environment.CurrentManagedThreadId).Result },
            CancellationToken.None,
            TaskCreationOptions.None,
            pool.TaskScheduler).Soon();

        threads[1].Should().Be(threads[0], "it does not need a second worker");
    }

    [Fact]
    public async Task A_parallel_loop_respects_the_worker_count()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        int running = 0, most = 0, elsewhere = 0;
        var options = new ParallelOptions { TaskScheduler = pool.TaskScheduler };

        await Parallel.ForEachAsync(Enumerable.Range(0, 50), options, async (_, token) =>
        {
            One();
            await Task.Yield();
            One();
        }).Soon();
        await Task.Factory.StartNew(
            () => Parallel.For(0, 50, options, _ => One()), CancellationToken.None, TaskCreationOptions.None, pool.TaskScheduler).Soon();

        most.Should().BeInRange(1, 2);
        elsewhere.Should().Be(0);

        void One()
        {
            int now = Interlocked.Increment(ref running);
            InterlockedMax(ref most, now);
            elsewhere += pool.HasThisThread() ? 0 : 1;
            Pools.Spin(TimeSpan.FromMilliseconds(0.2));
            Interlocked.Decrement(ref running);
        }
    }

    [Fact]
    public async Task A_dataflow_block_runs_on_the_pool()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var block = new TransformBlock<int, bool>(_ => pool.HasThisThread(), new ExecutionDataflowBlockOptions { TaskScheduler = pool.TaskScheduler });
        for (int i = 0; i < 10; i++)
        {
            block.Post(i);
        }

        block.Complete();
        List<bool> isThere = [];
        await foreach (bool each in block.ReceiveAllAsync())
        {
            isThere.Add(each);
        }

        isThere.Should().HaveCount(10).And.OnlyContain(each => each);
    }

    [Fact]
    public async Task Parts_that_remain_after_the_end_of_the_pool_run_in_the_thread_pool()
    {
        CpuWorkerPool pool = Pools.Create();
        var released = new TaskCompletionSource();
        Task<bool> task = Task.Factory.StartNew(
            async () =>
            {
                await released.Task;
                return pool.HasThisThread();
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            pool.TaskScheduler).Unwrap();
        await pool.DrainAsync().Soon();
        released.SetResult();

        (await task.Soon()).Should().BeFalse();
    }

    private static void InterlockedMax(ref int most, int now)
    {
        for (int seen = most; now > seen && Interlocked.CompareExchange(ref most, now, seen) != seen; seen = most)
        {
        }
    }
}
