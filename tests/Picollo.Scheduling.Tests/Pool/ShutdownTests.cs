namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Draining, disposing, and what is left of a pool then.</summary>
public class ShutdownTests
{
    [Fact]
    public async Task Draining_waits_for_all_tasks_and_takes_no_more()
    {
        CpuWorkerPool pool = Pools.Create();
        int ended = 0;
        using var held = Held.Worker(pool);
        for (int i = 0; i < 10; i++)
        {
            _ = pool.RunAsync(async _ =>
            {
                await Task.Delay(1);
                ended++;
            });
        }

        Task drained = pool.DrainAsync();
        Task again = pool.DrainAsync();

        pool.Invoking(each => { _ = each.RunAsync(_ => { }); }).Should().Throw<ObjectDisposedException>().WithMessage("*CpuWorkerPool*");
        pool.Invoking(each => { _ = each.ForEachAsync([1], (_, _) => { }); }).Should().Throw<ObjectDisposedException>();
        drained.IsCompleted.Should().BeFalse();
        await held.Release();
        await drained.Soon();
        await again.Soon();
        ended.Should().Be(10);
        pool.Statistics.Completed.Should().Be(11);
    }

    [Fact]
    public async Task Tasks_may_start_others_of_their_own_while_the_pool_drains()
    {
        CpuWorkerPool pool = Pools.Create();
        using var begun = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        Task<int> task = pool.RunAsync(async _ =>
        {
            begun.Set();
            go.Await();
            return await pool.RunAsync(_ => pool.RunAsync(_ => 5));
        });
        begun.Await();

        Task drained = pool.DrainAsync();
        go.Set();

        (await task.Soon()).Should().Be(5);
        await drained.Soon();
    }

    [Fact]
    public async Task A_task_of_another_pool_is_no_task_of_its_own()
    {
        await using CpuWorkerPool other = Pools.Create();
        CpuWorkerPool pool = Pools.Create();
        using var held = Held.Worker(pool);
        Task drained = pool.DrainAsync();

        Task task = await other.RunAsync(_ => pool.RunAsync(_ => { })).Ended();

        task.Exception!.InnerException.Should().BeOfType<ObjectDisposedException>();
        await held.Release();
        await drained.Soon();
    }

    [Fact]
    public async Task Draining_may_lose_its_patience()
    {
        CpuWorkerPool pool = Pools.Create();
        using var patience = new CancellationTokenSource();
        using var begun = new ManualResetEventSlim();
        Task running = pool.RunAsync(async cpu =>
        {
            begun.Set();
            while (true)
            {
                await cpu.CheckpointAsync();
            }
        });
        begun.Await();
        using var held = Held.Worker(pool);
        Task queued = pool.RunAsync(_ => { });
        Task drained = pool.DrainAsync(patience.Token);

        await patience.CancelAsync();

        (await queued.Ended()).IsCanceled.Should().BeTrue();
        drained.IsCompleted.Should().BeFalse("a task still has to come to its end");
        await held.Release();
        (await running.Ended()).IsCanceled.Should().BeTrue();
        await drained.Soon();
        pool.Statistics.Canceled.Should().Be(2);
        pool.Statistics.Completed.Should().Be(1);
    }

    [Fact]
    public async Task Draining_with_no_patience_at_all_cancels_at_once()
    {
        CpuWorkerPool pool = Pools.Create();
        using var held = Held.Worker(pool);
        Task queued = pool.RunAsync(_ => { });

        Task drained = pool.DrainAsync(new CancellationToken(canceled: true));

        (await queued.Ended()).IsCanceled.Should().BeTrue();
        await held.Release();
        await drained.Soon();
    }

    [Fact]
    public async Task A_pool_with_nothing_to_do_is_drained_and_disposed_at_once()
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);

        await pool.DrainAsync().Soon();
        await pool.DisposeAsync().AsTask().Soon();
        await Task.Run(pool.Dispose).Soon();

        pool.Invoking(each => { _ = each.RunAsync(_ => { }); }).Should().Throw<ObjectDisposedException>();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_cancels_what_waits_and_waits_for_what_runs(bool isAsync)
    {
        CpuWorkerPool pool = Pools.Create();
        using var held = Held.Worker(pool);
        Task[] queued = [.. Enumerable.Range(0, 100).Select(_ => pool.RunAsync(_ => { }))];

        Task disposed = isAsync ? pool.DisposeAsync().AsTask() : Task.Run(pool.Dispose);

        await Pools.Until(() => Array.TrueForAll(queued, task => task.IsCanceled));
        disposed.IsCompleted.Should().BeFalse();
        await held.Release();
        await disposed.Soon();
        pool.Statistics.Canceled.Should().Be(100);
        pool.Statistics.Waiting.Should().Be(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_cancels_what_was_set_aside(bool isBlocking)
    {
        CpuWorkerPool pool = Pools.Create();
        Task aside = isBlocking
            ? pool.RunAsync(void (CpuTaskContext cpu) =>
            {
                while (true)
                {
                    cpu.Checkpoint();
                }
            })
            : pool.RunAsync(async cpu =>
            {
                while (true)
                {
                    await cpu.CheckpointAsync();
                }
            });
        using var held = Held.Worker(pool);

        Task disposed = pool.DisposeAsync().AsTask();
        await held.Release();

        (await aside.Ended()).IsCanceled.Should().BeTrue();
        await disposed.Soon();
    }

    [Fact]
    public async Task A_task_may_dispose_its_pool_and_runs_on()
    {
        CpuWorkerPool pool = Pools.Create();
        bool isStarted = true;

        int result = await pool.RunAsync(cpu =>
        {
            pool.Dispose();
            try
            {
                _ = pool.RunAsync(_ => { });
            }
            catch (ObjectDisposedException)
            {
                isStarted = false;
            }

            return 5;
        }).Soon();

        result.Should().Be(5);
        isStarted.Should().BeFalse("after that, not even tasks of the pool start others");
        await pool.DisposeAsync().AsTask().Soon();
    }

    [Fact]
    public async Task A_task_that_disposes_its_pool_is_cancelled_at_its_next_checkpoint()
    {
        CpuWorkerPool pool = Pools.Create();
        ValueTask disposed = default;

        Task task = await pool.RunAsync(async cpu =>
        {
            disposed = pool.DisposeAsync();
            await cpu.CheckpointAsync();
        }).Ended();

        task.IsCanceled.Should().BeTrue();
        await disposed.AsTask().Soon();
    }

    [Fact]
    public async Task A_callback_that_fails_on_the_pools_token_keeps_nothing_from_its_end()
    {
        CpuWorkerPool pool = Pools.Create();
        using var begun = new ManualResetEventSlim();
        var wait = new TaskCompletionSource();
        Task waiting = pool.RunAsync(async cpu =>
        {
            using CancellationTokenRegistration failing = cpu.CancellationToken.Register(() => throw new FormatException());
            begun.Set();
            await wait.Task;
        });
        begun.Await();
        using var held = Held.Worker(pool);
        Task queued = pool.RunAsync(_ => { });

        await FluentActions.Awaiting(() => pool.DisposeAsync().AsTask()).Should().ThrowAsync<AggregateException>();

        (await queued.Ended()).IsCanceled.Should().BeTrue();
        wait.SetResult();
        await held.Release();
        await waiting.Ended();
        await pool.DrainAsync().Soon();
    }

    [Fact]
    public async Task Its_threads_end_with_it()
    {
        CpuWorkerPool pool = Pools.Create(workers: 3, slice: Pools.Short);
        var threads = new HashSet<Thread>();

        // Blocking ones too, so that there are threads without a worker.
        await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => pool.RunAsync(cpu =>
        {
            for (int i = 0; i < 20; i++)
            {
                lock (threads)
                {
                    threads.Add(Thread.CurrentThread);
                }

                Pools.Spin(TimeSpan.FromMicroseconds(200));
                cpu.Checkpoint();
            }
        }))).Soon();
        threads.Should().HaveCountGreaterThan(3);
        threads.Should().OnlyContain(thread => thread.IsBackground, "a pool keeps no process alive");

        await pool.DisposeAsync().AsTask().Soon();

        threads.Should().OnlyContain(thread => thread.Join(Pools.Deadline));
    }

    [FactNeeding(Need.Linux)]
    public async Task No_thread_with_its_name_is_left()
    {
        const int workers = 3;
        CpuWorkerPool pool = Pools.Create(workers);
        await Pools.Until(() => CountThreads(pool.Name) == workers + 1); // and the timer

        await pool.DisposeAsync().AsTask().Soon();

        await Pools.Until(() => CountThreads(pool.Name) == 0);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task No_thread_is_left_of_many_pools()
    {
        // The end comes while a thread looks for work, or is about to sleep.
        var pools = new HashSet<string>();
        for (int i = 0; i < 300; i++)
        {
            CpuWorkerPool pool = Pools.Create(workers: 2);
            pools.Add(pool.Name);
            _ = pool.RunAsync(_ => { });
            Thread.SpinWait(i);
            await pool.DisposeAsync().AsTask().Soon();
        }

        await Pools.Until(() => !ThreadNames().Exists(name => pools.Contains(name.Split(' ')[0])));
    }

    [Fact]
    public async Task A_thread_that_takes_its_first_step_after_the_end_does_not_wait_for_a_task()
    {
        var scheduler = new CpuScheduler(new CpuWorkerPoolOptions { WorkerCount = 1 });
        scheduler.Close();
        await scheduler.Ended.Soon();
        var late = new WorkerThread(scheduler, new WorkerSlot(), number: 2);

        scheduler.Next(late, out _, out _, out _).Should().BeNull();

        await Task.Run(late.WaitForWorker).Soon(); // where nobody else wakes it
    }

    private static int CountThreads(string pool) => ThreadNames().Count(name => name.StartsWith(pool + " ", StringComparison.Ordinal));

    private static List<string> ThreadNames()
    {
        var names = new List<string>();
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
        {
            try
            {
                names.Add(File.ReadAllText(Path.Combine(task, "comm")));
            }
            catch (IOException)
            {
                // It has ended.
            }
        }

        return names;
    }
}
