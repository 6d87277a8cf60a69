namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Exactly N tasks run at a time, whatever the tasks do.</summary>
public class CapTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public async Task At_most_as_many_tasks_as_workers_run_at_a_time(int workers)
    {
        const int tasks = 400;
        await using CpuWorkerPool pool = Pools.Create(workers, Pools.Short);
        var concurrency = new ConcurrencyCounter();
        int callsOutsideWorkers = 0, ended = 0;

        await Task.WhenAll(Enumerable.Range(0, tasks).Select(i => i % 4 == 3
            ? pool.RunAsync(cpu => Blocking(cpu))
            : pool.RunAsync(cpu => Steps(cpu, new Random(i), depth: 0)))).Soon();

        concurrency.Max.Should().BeLessThanOrEqualTo(workers);
        concurrency.Now.Should().Be(0);
        callsOutsideWorkers.Should().Be(0, "everything ran on workers");
        ended.Should().BeGreaterThan(tasks, "some tasks have started others");
        pool.Statistics.CompletedCount.Should().Be(ended);

        async Task Steps(CpuTaskContext cpu, Random random, int depth)
        {
            for (int step = random.Next(8); step >= 0; step--)
            {
                Work(random.Next(300));
                switch (random.Next(6))
                {
                    case 0: await Task.Yield(); break;
                    case 1: await cpu.RunOutsideAsync(token => Task.Delay(1, token)); break;
                    case 2:
                        (await cpu.RunOutsideAsync(async _ =>
                        {
                            await Task.Yield();
                            return step;
                        })).Should().Be(step);
                        break;
                    case 3 when depth < 2: await pool.RunAsync(inner => Steps(inner, new Random(step), depth + 1)); break;
                    case 4: cpu.Checkpoint(); break;
                    default: await cpu.CheckpointAsync(); break;
                }
            }

            Work(100);
            Interlocked.Increment(ref ended);
        }

        void Blocking(CpuTaskContext cpu)
        {
            for (int step = 0; step < 10; step++)
            {
                Work(300);
                cpu.Checkpoint();
            }

            Interlocked.Increment(ref ended);
        }

        void Work(int spins)
        {
            concurrency.Enter();
            Interlocked.Add(ref callsOutsideWorkers, pool.HasThisThread() ? 0 : 1);
            Thread.SpinWait(spins);
            concurrency.Leave();
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_body_can_stop_a_thread_that_has_just_started()
    {
        for (int pools = 0; pools < 10; pools++)
        {
            await using CpuWorkerPool pool = Pools.Create(workers: 1, slice: Pools.Short);
            var concurrency = new ConcurrencyCounter();
            Task[] tasks;
            using (Held.Worker(pool))
            {
                tasks = [.. Enumerable.Range(0, 30).Select(_ => pool.RunAsync(Body))];
            }

            await Task.WhenAll(tasks).Soon();
            concurrency.Max.Should().Be(1);

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

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public async Task All_workers_run_tasks_at_the_same_time(int workers)
    {
        await using CpuWorkerPool pool = Pools.Create(workers);
        using var all = new Barrier(workers);

        bool[] met = await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => pool.RunAsync(_ => all.SignalAndWait(Pools.Deadline)))).Soon();

        met.Should().OnlyContain(each => each);
        pool.WorkerCount.Should().Be(workers);
    }

    [Fact]
    public async Task A_task_awaited_inside_another_runs_on_the_only_worker()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);

        int depth = await pool.RunAsync(_ => Nest(0)).Soon();

        depth.Should().Be(50);

        async Task<int> Nest(int at) => at == 50 ? at : await pool.RunAsync(_ => Nest(at + 1));
    }

    [Fact]
    public async Task A_task_started_by_a_task_waits_for_a_worker()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        bool hasForkBegun = false;
        Task? fork = null;

        bool hadStarted = await pool.RunAsync(_ =>
        {
            fork = pool.RunAsync(_ => { hasForkBegun = true; });
            Pools.Spin(TimeSpan.FromMilliseconds(20));
            return hasForkBegun;
        }).Soon();

        hadStarted.Should().BeFalse("the only worker was in use");
        await fork!.Soon();
        hasForkBegun.Should().BeTrue();
    }

    [Fact]
    public async Task Parts_of_one_body_run_one_at_a_time()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 4, slice: Pools.Short);
        Task others = pool.RunAsync(_ => Task.WhenAll(Enumerable.Range(0, 6).Select(_ => pool.RunAsync(Long))));
        var parts = new ConcurrencyCounter();

        await pool.RunAsync(async cpu =>
        {
            await Task.WhenAll(Part(cpu, 1), Part(cpu, 2), Part(cpu, 3));
        }).Soon();

        await others.Soon();
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

        static async Task Long(CpuTaskContext cpu)
        {
            for (int i = 0; i < 300; i++)
            {
                Thread.SpinWait(500);
                await cpu.CheckpointAsync();
            }
        }
    }

    [Fact]
    public async Task A_worker_is_free_while_its_task_is_outside()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        var wait = new TaskCompletionSource();
        bool wasOnWorker = true;

        Task<bool> outside = pool.RunAsync(async cpu =>
        {
            await cpu.RunOutsideAsync(_ =>
            {
                wasOnWorker = pool.HasThisThread();
                return wait.Task;
            });
            return pool.HasThisThread();
        });
        await pool.RunAsync(_ => wait.SetResult()).Soon();

        (await outside.Soon()).Should().BeTrue("it returns to a worker");
        wasOnWorker.Should().BeFalse();
    }

    [Fact]
    public async Task A_body_returns_to_a_worker_at_its_next_checkpoint_after_ConfigureAwait_false()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var started = new ManualResetEventSlim();

        Task<(bool Before, bool After)> task = pool.RunAsync(async cpu =>
        {
            started.Set();
            await wait.Task.ConfigureAwait(false);
            bool before = pool.HasThisThread();
            await cpu.CheckpointAsync();
            return (before, pool.HasThisThread());
        });
        started.Await();
        await Pools.Until(() => pool.Statistics.GetRunningTasks().Count == 0);
        wait.SetResult();

        (await task.Soon()).Should().Be((false, true));
    }

    [Fact]
    public async Task A_blocking_checkpoint_outside_the_workers_continues()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var started = new ManualResetEventSlim();

        Task<bool> task = pool.RunAsync(async cpu =>
        {
            started.Set();
            await wait.Task.ConfigureAwait(false);
            cpu.Checkpoint();
            return pool.HasThisThread();
        });
        started.Await();
        await Pools.Until(() => pool.Statistics.GetRunningTasks().Count == 0);
        wait.SetResult();

        (await task.Soon()).Should().BeFalse();
    }

    [Fact]
    public async Task A_body_can_end_outside_the_workers()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);

        int result = await pool.RunAsync(async _ =>
        {
            await Task.Delay(20).ConfigureAwait(false);
            return 5;
        }).Soon();

        result.Should().Be(5);
        pool.Statistics.CompletedCount.Should().Be(1);
    }
}
