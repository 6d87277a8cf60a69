namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Exactly N tasks run at a time, whatever the tasks do. The stress tests check it in general.</summary>
public class CapTests : OnePool
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_body_can_stop_a_thread_that_has_just_started()
    {
        for (int pools = 0; pools < 10; pools++)
        {
            await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
            ConcurrencyCounter concurrency = ConcurrencyCounter.OfBodies(pool);
            Task[] tasks;
            using (Held.Worker(pool))
            {
                tasks = [.. Enumerable.Range(0, 30).Select(_ => pool.RunAsync(Body))];
            }

            await Task.WhenAll(tasks).Soon();
            await concurrency.ShouldNotExceed(1);

            // Each body yields twice at the end of its slice, so that it stops the thread that was started for it.
            void Body(CpuTaskContext cpu)
            {
                for (int i = 0; i < 2; i++)
                {
                    concurrency.Enter();
                    Pools.Spin(Pools.Short);
                    concurrency.Leave();
                    cpu.Checkpoint();
                }
            }
        }
    }

    [Fact]
    public async Task Parts_of_one_body_run_one_at_a_time()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 4, slice: Pools.Short);
        Busy[] others = [.. Enumerable.Range(0, 3).Select(_ => Busy.Start(pool))];
        var parts = new ConcurrencyCounter();

        await pool.RunAsync(cpu => Task.WhenAll(Part(cpu, 1), Part(cpu, 2), Part(cpu, 3))).Soon();

        Array.ForEach(others, other => other.Stop());
        parts.Max.Should().Be(1);

        async Task Part(CpuTaskContext cpu, int seed)
        {
            var random = new Random(seed);
            for (int i = 0; i < 300; i++)
            {
                parts.Enter();
                Thread.SpinWait(random.Next(500));
                parts.Leave();
                switch (random.Next(3))
                {
                    case 0: await Task.Yield(); break;
                    case 1: await cpu.RunOutsideAsync(_ => Task.CompletedTask); break;
                    default: await cpu.CheckpointAsync(); break;
                }
            }
        }
    }

    [Fact]
    public async Task A_body_returns_to_a_worker_at_its_next_checkpoint_after_ConfigureAwait_false_but_can_end_outside_the_workers()
    {
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        Task<(bool Before, bool Blocking, bool After)> returns = Pool.RunAsync(async cpu =>
        {
            await wait.Task.ConfigureAwait(false);
            bool before = Pool.HasThisThread();
            cpu.Checkpoint();
            bool blocking = Pool.HasThisThread();
            await cpu.CheckpointAsync();
            return (before, blocking, Pool.HasThisThread());
        });
        Task ends = Pool.RunAsync(async _ => await wait.Task.ConfigureAwait(false));
        await Pool.UntilIdle();
        wait.SetResult();

        (await returns.Soon()).Should().Be((false, false, true));
        await ends.Soon();
        Pool.Statistics.CompletedCount.Should().Be(2);
    }
}
