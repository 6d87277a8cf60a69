using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Draining and disposing of pools, and the state that remains.</summary>
public class ShutdownTests : OnePool
{
    [Fact]
    public async Task Draining_waits_for_all_tasks_and_refuses_new_ones()
    {
        await using CpuWorkerPool other = Pools.Create();
        int ended = 0;
        using var held = Held.Worker(Pool);
        for (int i = 0; i < 10; i++)
        {
            _ = Pool.RunAsync(async _ =>
            {
                await Task.Delay(1);
                ended++;
            });
        }

        Task[] drained = [Pool.DrainAsync(), Pool.DrainAsync()];

        Pool.Invoking(each => { _ = each.RunAsync(_ => { }); }).Should().Throw<ObjectDisposedException>()
            .WithMessage("The pool '*' accepts no new tasks, because it is drained or disposed.*CpuWorkerPool*");
        Pool.Invoking(each => { _ = each.ForEachAsync([1], (_, _) => { }); }).Should().Throw<ObjectDisposedException>();
        (await other.RunAsync(_ => Pool.RunAsync(_ => { })).Ended()).Exception!.InnerException.Should().BeOfType<ObjectDisposedException>();
        drained.Should().OnlyContain(task => !task.IsCompleted);
        await held.Release();
        await Task.WhenAll(drained).Soon();
        (ended, Pool.Statistics.CompletedCount).Should().Be((10, 11));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Draining_can_cancel_the_remaining_tasks_immediately_or_later_at_both_kinds_of_checkpoints(bool isLater)
    {
        using var patience = new CancellationTokenSource();
        Busy running = Busy.Start(Pool, isBlocking: isLater);
        using var held = Held.Worker(Pool);
        Task queued = Pool.RunAsync(_ => { });
        Task drained = Pool.DrainAsync(isLater ? patience.Token : new CancellationToken(canceled: true));

        await patience.CancelAsync();

        (await queued.Ended()).IsCanceled.Should().BeTrue();
        drained.IsCompleted.Should().BeFalse("a task has not ended yet");
        await held.Release();
        (await running.Task.Ended()).IsCanceled.Should().BeTrue();
        await drained.Soon();
        (Pool.Statistics.CanceledCount, Pool.Statistics.CompletedCount).Should().Be((2, 1));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_cancels_waiting_tasks_and_waits_for_running_ones_even_if_a_callback_fails(bool isAsync)
    {
        using var unobserved = new Unobserved();
        var wait = new TaskCompletionSource();
        Task waiting = Pool.RunAsync(async cpu =>
        {
            using CancellationTokenRegistration failing = cpu.CancellationToken.Register(() => throw new FormatException(unobserved.Message));
            await wait.Task;
        });
        using var held = Held.Worker(Pool);
        Task[] queued = [.. Enumerable.Range(0, 100).Select(_ => Pool.RunAsync(_ => { }))];

        Task disposed = isAsync ? Pool.DisposeAsync().AsTask() : Task.Run(Pool.Dispose);

        await Pools.Until(() => Array.TrueForAll(queued, task => task.IsCanceled));
        await unobserved.IsReported();
        disposed.IsCompleted.Should().BeFalse();
        wait.SetResult();
        await held.Release();
        await waiting.Ended();
        await disposed.Soon();
        (Pool.Statistics.CanceledCount, Pool.Statistics.WaitingCount).Should().Be((100, 0));
    }

    [Fact]
    public async Task A_task_that_would_wait_for_itself_gets_an_exception_immediately_but_its_code_can_end_the_pool_later()
    {
        await using CpuWorkerPool other = Pools.Create();
        var hasEnded = new TaskCompletionSource();
        Task disposed = Task.CompletedTask;

        await Pool.RunAsync(async cpu =>
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
            await Pool.RunAsync(_ => IsRefused());
            disposed = Dispose();
        }).Soon();
        hasEnded.SetResult();

        await disposed.Soon();

        async Task Dispose()
        {
            await hasEnded.Task.ConfigureAwait(false);
            await Pool.DisposeAsync();
        }

        void IsRefused()
        {
            Pool.Invoking(each => { _ = each.DrainAsync(); }).Should().Throw<InvalidOperationException>().WithMessage("*wait for itself*");
            Pool.Invoking(each => { _ = each.DisposeAsync().AsTask(); }).Should().Throw<InvalidOperationException>();
            Pool.Invoking(each => each.Dispose()).Should().Throw<InvalidOperationException>();
        }
    }

    [Fact]
    public async Task Tasks_that_a_task_starts_while_the_pool_drains_run_from_any_thread()
    {
        await using CpuWorkerPool other = Pools.Create();
        var draining = new TaskCompletionSource();
        int ran = 0;

        Task task = Pool.RunAsync(async cpu =>
        {
            await draining.Task;
            await Pool.RunAsync(_ => Child());
            await cpu.RunOutsideAsync(_ => Child());
            await other.RunAsync(_ => Child());
            await other.RunAsync(_ => other.RunAsync(_ => Child()));
            await Task.Delay(1).ConfigureAwait(false);
            await Child();
        });
        Task drained = Pool.DrainAsync();
        draining.SetResult();

        await task.Soon();
        await drained.Soon();
        ran.Should().Be(5);
        await FluentActions.Awaiting(Child).Should().ThrowAsync<ObjectDisposedException>();

        Task Child() => Pool.RunAsync(_ => { ran++; });
    }

    /// <summary>An example is a loop that posts its next iteration to the pool. The last task still runs.</summary>
    [Fact]
    public async Task Tasks_that_each_start_the_next_do_not_keep_each_other_alive()
    {
        List<WeakReference> started = [];
        using ManualResetEventSlim hasStarted = new(), release = new();
        _ = Pool.RunAsync(Link);
        hasStarted.Await();

        await Pools.Until(() =>
        {
            GC.Collect();
            return started.Count(each => each.IsAlive) < 5;
        });

        release.Set();

        void Link(CpuTaskContext cpu)
        {
            started.Add(new WeakReference(SynchronizationContext.Current));
            if (started.Count < 100)
            {
                _ = Pool.RunAsync(Link);
                return;
            }

            hasStarted.Set();
            release.Await();
        }
    }

    [Theory]
    [InlineData("pool")]
    [InlineData("task")]
    [InlineData("loop")]
    public async Task A_callback_on_the_token_can_wait_for_its_task(string canceled)
    {
        using var source = new CancellationTokenSource();
        using var hasStarted = new ManualResetEventSlim();
        using var isInCallback = new ManualResetEventSlim();
        var ended = new TaskCompletionSource();
        Task task = canceled == "loop"
            ? Pool.ForEachAsync([1], (int _, CpuTaskContext cpu) => Body(cpu), cancellationToken: source.Token)
            : Pool.RunAsync(Body, cancellationToken: source.Token);
        _ = task.ContinueWith(_ => ended.SetResult(), TaskScheduler.Default);
        hasStarted.Await();

        Task cancellation = canceled == "pool" ? Pool.DisposeAsync().AsTask() : Task.Run(source.Cancel);

        await task.Ended();
        await cancellation.Soon();
        await Pool.DisposeAsync().AsTask().Soon();

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
    public Task Registrations_of_an_ended_body_do_not_stay_on_the_token_of_the_pool()
    {
        return Pools.UntilCollected(Register());

        // A separate method, so that no reference remains on the stack.
        [MethodImpl(MethodImplOptions.NoInlining)]
        WeakReference Register()
        {
            object captured = new();
            Pool.RunAsync(cpu => { _ = cpu.CancellationToken.Register(() => GC.KeepAlive(captured)); }).Soon().Wait();
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
    [Trait("Category", "Slow")]
    public async Task No_thread_remains_after_many_pools_have_ended()
    {
        await Pool.RunAsync(_ => { }).Soon();
        await Pools.Until(() => ThreadNames().Count(name => name.StartsWith(Pool.Name + " ", StringComparison.Ordinal)) == 2); // and the timer

        // The pool ends while a thread looks for work or is about to sleep.
        var pools = new HashSet<string> { Pool.Name };
        await Pool.DisposeAsync();
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
