using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Draining and disposing of pools, and the state that remains.</summary>
public class ShutdownTests
{
    [Fact]
    public async Task Draining_waits_for_all_tasks_and_refuses_new_ones()
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

        pool.Invoking(each => { _ = each.RunAsync(_ => { }); }).Should().Throw<ObjectDisposedException>()
            .WithMessage("The pool '*' accepts no new tasks, because it is drained or disposed.*CpuWorkerPool*");
        pool.Invoking(each => { _ = each.ForEachAsync([1], (_, _) => { }); }).Should().Throw<ObjectDisposedException>();
        drained.IsCompleted.Should().BeFalse();
        await held.Release();
        await drained.Soon();
        await again.Soon();
        ended.Should().Be(10);
        pool.Statistics.CompletedCount.Should().Be(11);
    }

    [Fact]
    public async Task Tasks_can_start_other_tasks_while_the_pool_drains()
    {
        CpuWorkerPool pool = Pools.Create();
        using var hasStarted = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        Task<int> task = pool.RunAsync(async _ =>
        {
            hasStarted.Set();
            go.Await();
            return await pool.RunAsync(_ => pool.RunAsync(_ => 5));
        });
        hasStarted.Await();

        Task drained = pool.DrainAsync();
        go.Set();

        (await task.Soon()).Should().Be(5);
        await drained.Soon();
    }

    [Fact]
    public async Task A_task_of_another_pool_cannot_submit_tasks_while_the_pool_drains()
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
    public async Task Draining_can_cancel_the_remaining_tasks_later()
    {
        CpuWorkerPool pool = Pools.Create();
        using var patience = new CancellationTokenSource();
        using var hasStarted = new ManualResetEventSlim();
        Task running = pool.RunAsync(async cpu =>
        {
            hasStarted.Set();
            while (true)
            {
                await cpu.CheckpointAsync();
            }
        });
        hasStarted.Await();
        using var held = Held.Worker(pool);
        Task queued = pool.RunAsync(_ => { });
        Task drained = pool.DrainAsync(patience.Token);

        await patience.CancelAsync();

        (await queued.Ended()).IsCanceled.Should().BeTrue();
        drained.IsCompleted.Should().BeFalse("a task has not ended yet");
        await held.Release();
        (await running.Ended()).IsCanceled.Should().BeTrue();
        await drained.Soon();
        pool.Statistics.CanceledCount.Should().Be(2);
        pool.Statistics.CompletedCount.Should().Be(1);
    }

    [Fact]
    public async Task Draining_with_a_canceled_token_cancels_immediately()
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
    public async Task A_pool_without_tasks_is_drained_and_disposed_immediately()
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
    public async Task Disposing_cancels_waiting_tasks_and_waits_for_running_ones(bool isAsync)
    {
        CpuWorkerPool pool = Pools.Create();
        using var held = Held.Worker(pool);
        Task[] queued = [.. Enumerable.Range(0, 100).Select(_ => pool.RunAsync(_ => { }))];

        Task disposed = isAsync ? pool.DisposeAsync().AsTask() : Task.Run(pool.Dispose);

        await Pools.Until(() => Array.TrueForAll(queued, task => task.IsCanceled));
        disposed.IsCompleted.Should().BeFalse();
        await held.Release();
        await disposed.Soon();
        pool.Statistics.CanceledCount.Should().Be(100);
        pool.Statistics.WaitingCount.Should().Be(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_cancels_tasks_that_were_set_aside(bool isBlocking)
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
    public async Task A_task_that_would_wait_for_itself_gets_an_exception_immediately()
    {
        await using CpuWorkerPool pool = Pools.Create(), other = Pools.Create();

        await pool.RunAsync(async cpu =>
        {
            IsRefused();
            await Task.Delay(1).ConfigureAwait(false);
            IsRefused();
            await cpu.RunOutsideAsync(_ =>
            {
                IsRefused();
                return Task.CompletedTask;
            });
            await other.RunAsync(_ => IsRefused());
            await pool.RunAsync(_ => IsRefused());
        }).Soon();

        await pool.DrainAsync().Soon();

        void IsRefused()
        {
            pool.Invoking(each => { _ = each.DrainAsync(); }).Should().Throw<InvalidOperationException>().WithMessage("*wait for itself*");
            pool.Invoking(each => { _ = each.DisposeAsync().AsTask(); }).Should().Throw<InvalidOperationException>();
            pool.Invoking(each => each.Dispose()).Should().Throw<InvalidOperationException>();
        }
    }

    [Fact]
    public async Task Code_that_outlives_its_body_can_end_the_pool()
    {
        CpuWorkerPool pool = Pools.Create();
        var hasEnded = new TaskCompletionSource();
        Task disposed = Task.CompletedTask;

        await pool.RunAsync(_ => { disposed = Dispose(); }).Soon();
        hasEnded.SetResult();

        await disposed.Soon();

        async Task Dispose()
        {
            await hasEnded.Task.ConfigureAwait(false);
            await pool.DisposeAsync();
        }
    }

    [Fact]
    public async Task Tasks_that_a_task_starts_while_the_pool_drains_run_from_any_thread()
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);
        await using CpuWorkerPool other = Pools.Create();
        var draining = new TaskCompletionSource();
        int ran = 0;

        Task task = pool.RunAsync(async cpu =>
        {
            await draining.Task;
            await Child();
            await cpu.RunOutsideAsync(_ => Child());
            await other.RunAsync(_ => Child());
            await other.RunAsync(_ => other.RunAsync(_ => Child()));
            await Task.Delay(1).ConfigureAwait(false);
            await Child();
        });
        Task drained = pool.DrainAsync();
        draining.SetResult();

        await task.Soon();
        await drained.Soon();
        ran.Should().Be(5);
        await FluentActions.Awaiting(Child).Should().ThrowAsync<ObjectDisposedException>();

        Task Child() => pool.RunAsync(_ => { ran++; });
    }

    [Fact]
    public async Task Tasks_that_each_start_the_next_do_not_keep_each_other_alive()
    {
        await using CpuWorkerPool pool = Pools.Create();
        List<WeakReference> started = [];
        var ended = new TaskCompletionSource();
        _ = pool.RunAsync(Link);
        await ended.Task.Soon();

        await Pools.Until(() =>
        {
            GC.Collect();
            return started.Count(each => each.IsAlive) < 5;
        });

        void Link(CpuTaskContext cpu)
        {
            started.Add(new WeakReference(SynchronizationContext.Current));
            if (started.Count == 100)
            {
                ended.SetResult();
            }
            else
            {
                _ = pool.RunAsync(Link);
            }
        }
    }

    [Fact]
    public async Task The_exception_of_a_callback_on_the_token_is_an_unobserved_exception_and_does_not_prevent_the_end()
    {
        string message = $"{Guid.NewGuid()}";
        bool isReported = false;
        TaskScheduler.UnobservedTaskException += Report;
        CpuWorkerPool pool = Pools.Create();
        using var hasStarted = new ManualResetEventSlim();
        var wait = new TaskCompletionSource();
        Task waiting = pool.RunAsync(async cpu =>
        {
            using CancellationTokenRegistration failing = cpu.CancellationToken.Register(() => throw new FormatException(message));
            hasStarted.Set();
            await wait.Task;
        });
        hasStarted.Await();
        using var held = Held.Worker(pool);
        Task queued = pool.RunAsync(_ => { });

        Task disposed = pool.DisposeAsync().AsTask();

        (await queued.Ended()).IsCanceled.Should().BeTrue();
        await Pools.Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return Volatile.Read(ref isReported);
        });
        TaskScheduler.UnobservedTaskException -= Report;
        wait.SetResult();
        await held.Release();
        await waiting.Ended();
        await disposed.Soon();

        void Report(object? sender, UnobservedTaskExceptionEventArgs unobserved)
        {
            if (unobserved.Exception.Flatten().InnerExceptions.Any(each => each.Message == message))
            {
                Volatile.Write(ref isReported, true);
                unobserved.SetObserved();
            }
        }
    }

    [Theory]
    [InlineData("pool")]
    [InlineData("task")]
    [InlineData("loop")]
    public async Task A_callback_on_the_token_can_wait_for_its_task(string canceled)
    {
        CpuWorkerPool pool = Pools.Create();
        using var source = new CancellationTokenSource();
        using var hasStarted = new ManualResetEventSlim();
        using var isInCallback = new ManualResetEventSlim();
        var ended = new TaskCompletionSource();
        Task task = canceled == "loop"
            ? pool.ForEachAsync([1], (int _, CpuTaskContext cpu) => Body(cpu), cancellationToken: source.Token)
            : pool.RunAsync(Body, cancellationToken: source.Token);
        _ = task.ContinueWith(_ => ended.SetResult(), TaskScheduler.Default);
        hasStarted.Await();

        Task cancellation = canceled == "pool" ? pool.DisposeAsync().AsTask() : Task.Run(source.Cancel);

        await task.Ended();
        await cancellation.Soon();
        await pool.DisposeAsync().AsTask().Soon();

        async Task Body(CpuTaskContext cpu)
        {
            _ = cpu.CancellationToken.Register(() =>
            {
                isInCallback.Set();
                ended.Task.Soon().Wait();
            });
            hasStarted.Set();
            while (true)
            {
                await Task.Delay(1);
                if (isInCallback.IsSet)
                {
                    await cpu.CheckpointAsync();
                }
            }
        }
    }

    [Fact]
    public async Task Registrations_of_an_ended_body_do_not_stay_on_the_token_of_the_pool()
    {
        await using CpuWorkerPool pool = Pools.Create();
        WeakReference captured = Register(pool);

        await Pools.Until(() =>
        {
            GC.Collect();
            return !captured.IsAlive;
        });

        // A separate method, so that no reference remains on the stack.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Register(CpuWorkerPool pool)
        {
            object captured = new();
            pool.RunAsync(cpu => { _ = cpu.CancellationToken.Register(() => GC.KeepAlive(captured)); }).Soon().Wait();
            return new WeakReference(captured);
        }
    }

    [Fact]
    public async Task The_threads_of_a_pool_end_with_it()
    {
        CpuWorkerPool pool = Pools.Create(workers: 3, slice: Pools.Short);
        var threads = new HashSet<Thread>();

        // Blocking tasks, too, so that there are threads without a worker.
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
        threads.Should().OnlyContain(thread => thread.IsBackground, "a pool does not keep the process running");

        await pool.DisposeAsync().AsTask().Soon();

        threads.Should().OnlyContain(thread => thread.Join(Pools.Deadline));
    }

    [FactNeeding(Need.Linux)]
    public async Task No_thread_with_the_name_of_the_pool_remains()
    {
        const int workers = 3;
        CpuWorkerPool pool = Pools.Create(workers);
        await pool.RunAsync(_ => { }).Soon();
        await Pools.Until(() => CountThreads(pool.Name) == workers + 1); // and the timer

        await pool.DisposeAsync().AsTask().Soon();

        await Pools.Until(() => CountThreads(pool.Name) == 0);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task No_thread_remains_after_many_pools_have_ended()
    {
        // The pool ends while a thread looks for work or is about to sleep.
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
    public async Task A_thread_that_starts_after_the_end_of_the_pool_does_not_wait()
    {
        var scheduler = new CpuScheduler(new CpuWorkerPoolOptions { WorkerCount = 1 });
        scheduler.Close();
        await scheduler.Ended.Soon();
        var late = new WorkerThread(scheduler, new WorkerSlot(), number: 2);

        scheduler.Next(late, out _, out _, out _).Should().BeNull();

        await Task.Run(late.WaitForWorker).Soon(); // no other thread wakes it
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
                // The thread has ended.
            }
        }

        return names;
    }
}
