namespace Picollo.Scheduling.Tests.Pool;

/// <summary>The state that flows into a task, and the state that does not flow out of it.</summary>
public class FlowTests
{
    private static readonly AsyncLocal<string?> Local = new();

    [Fact]
    public async Task Async_locals_flow_into_the_body_and_are_kept()
    {
        await using CpuWorkerPool pool = Pools.Create();
        Local.Value = "callers";

        Task<string> task = pool.RunAsync(async cpu =>
        {
            string? given = Local.Value;
            Local.Value = "bodys";
            await Task.Yield();
            await cpu.RunOutsideAsync(token => Task.Delay(1, token));
            await cpu.CheckpointAsync();
            return $"{given} {Local.Value}";
        });
        Local.Value = "changed";

        (await task.Soon()).Should().Be("callers bodys");
        Local.Value.Should().Be("changed");
    }

    [Fact]
    public async Task Async_locals_do_not_flow_to_the_next_task()
    {
        await using CpuWorkerPool pool = Pools.Create();
        Task<string?> second;
        using (ExecutionContext.SuppressFlow())
        {
            _ = pool.RunAsync(_ => { Local.Value = "left behind"; });
            second = pool.RunAsync<string?>(_ => Local.Value);
        }

        (await second.Soon()).Should().BeNull();
    }

    [Fact]
    public async Task Async_locals_of_a_posted_callback_do_not_flow_to_the_next_task()
    {
        await using CpuWorkerPool pool = Pools.Create();
        await Posted(() => Local.Value = "left behind").Soon();
        string? seen = "not called";

        await Posted(() => seen = Local.Value).Soon();

        seen.Should().BeNull();

        Task Posted(Action action) => pool.RunAsync(_ =>
        {
            var hasRun = new TaskCompletionSource();
            SynchronizationContext.Current!.Post(
                _ =>
                {
                    action();
                    hasRun.SetResult();
                },
                null);
            return hasRun.Task;
        });
    }

    [Fact]
    public async Task Async_locals_survive_a_blocking_checkpoint()
    {
        await using CpuWorkerPool pool = Pools.Create();
        using var started = new ManualResetEventSlim();
        bool isOver = false;
        Local.Value = "callers";
        Task<string?> task = pool.RunAsync<string?>(cpu =>
        {
            started.Set();
            while (!Volatile.Read(ref isOver))
            {
                cpu.Checkpoint();
            }

            return Local.Value;
        });
        started.Await();
        Local.Value = "others";
        await pool.RunAsync(_ => Volatile.Write(ref isOver, true)).Soon();

        (await task.Soon()).Should().Be("callers");
    }

    [Fact]
    public async Task The_pool_does_not_capture_the_execution_context_of_its_creator()
    {
        Local.Value = "makers";
        await using CpuWorkerPool pool = Pools.Create();
        Task<string?> task;
        using (ExecutionContext.SuppressFlow())
        {
            task = pool.RunAsync<string?>(_ => Local.Value);
        }

        (await task.Soon()).Should().BeNull();
    }

    [Fact]
    public async Task The_synchronization_context_of_a_body_runs_posted_callbacks_on_a_worker()
    {
        await using CpuWorkerPool pool = Pools.Create();

        bool came = await pool.RunAsync(async _ =>
        {
            var posted = new TaskCompletionSource<bool>();
            SynchronizationContext context = SynchronizationContext.Current!;
            context.CreateCopy().Should().BeSameAs(context);
            ThreadPool.QueueUserWorkItem(_ => context.Post(_ => posted.SetResult(pool.HasThisThread()), null));
            return await posted.Task;
        }).Soon();

        came.Should().BeTrue();
    }

    [Fact]
    public async Task Code_that_outlives_its_body_continues_in_the_thread_pool()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<bool>? left = null;
        await pool.RunAsync(cpu => { left = Part(); }).Soon();

        wait.SetResult();

        (await left!.Soon()).Should().BeFalse();

        async Task<bool> Part()
        {
            await wait.Task;
            return pool.HasThisThread();
        }
    }

    [Fact]
    public async Task Continuations_that_are_ready_when_the_body_ends_are_not_lost()
    {
        await using CpuWorkerPool pool = Pools.Create();
        Task? left = null;

        await pool.RunAsync(_ => { left = Task.WhenAll(Part(), Part(), Part()); }).Soon();

        await left!.Soon();

        static async Task Part()
        {
            await Task.Yield();
            await Task.Yield();
        }
    }

    [Fact]
    public async Task Code_in_a_blocking_checkpoint_continues_after_its_body_has_ended()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task? body = null;
        bool hasRun = false, isDone = false;

        await pool.RunAsync(cpu => body = Body(cpu)).Soon();

        isDone.Should().BeTrue("a task can end without a continuation on a worker");
        pool.Statistics.CompletedCount.Should().Be(2);

        async Task Body(CpuTaskContext cpu)
        {
            _ = Part(cpu);
            await go.Task.ConfigureAwait(false);
        }

        async Task Part(CpuTaskContext cpu)
        {
            await Task.Yield();
            go.SetResult();
            SpinWait.SpinUntil(() => body!.IsCompleted, Pools.Deadline).Should().BeTrue();
            _ = pool.RunAsync(_ => { Volatile.Write(ref hasRun, true); });
            while (!Volatile.Read(ref hasRun))
            {
                cpu.Checkpoint();
            }

            isDone = true;
        }
    }

    [Fact]
    public async Task A_body_that_ends_outside_the_workers_ends_its_task_with_any_synchronization_context()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var wait = new TaskCompletionSource();
        using var started = new ManualResetEventSlim();

        Task task = pool.RunAsync(_ =>
        {
            SynchronizationContext.Current!.Post(
                _ =>
                {
                    SynchronizationContext.SetSynchronizationContext(null);
                    started.Set();
                },
                null);
            return wait.Task;
        });
        started.Await();
        await pool.RunAsync(_ => { }).Soon(); // by now, the worker has left the task
        wait.SetResult();

        await task.Soon();
    }

    [Fact]
    public async Task A_worker_does_not_keep_the_synchronization_context_of_an_earlier_task()
    {
        await using CpuWorkerPool pool = Pools.Create();

        SynchronizationContext? one = await pool.RunAsync(_ => SynchronizationContext.Current).Soon();
        SynchronizationContext? other = await pool.RunAsync(_ => SynchronizationContext.Current).Soon();

        one.Should().NotBeNull();
        other.Should().NotBeNull().And.NotBeSameAs(one);
    }

    public static TheoryData<string> Ends => ["result", "exception", "canceled", "refused", "canceled by the pool", "elsewhere"];

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task Code_that_awaits_a_task_never_continues_on_a_worker(string end)
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);
        using var source = new CancellationTokenSource();
        var wait = new TaskCompletionSource();
        using var started = new ManualResetEventSlim();
        Task task = pool.RunAsync(async cpu =>
        {
            started.Set();
            await wait.Task.ConfigureAwait(end != "elsewhere");
            if (end != "elsewhere")
            {
                await cpu.CheckpointAsync();
            }

            if (end == "exception")
            {
                throw new FormatException();
            }
        }, cancellationToken: source.Token);
        started.Await();
        Task<bool> continued = task.ContinueWith(
            _ => pool.HasThisThread(), default, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        switch (end)
        {
            case "canceled": await source.CancelAsync(); break;
            case "refused": await pool.RunAsync(_ => source.Cancel()); break;
            case "canceled by the pool": await pool.RunAsync(_ => pool.Dispose()).Ended(); break;
        }

        await EndOnAWorker();
        wait.TrySetResult();

        (await continued.Soon()).Should().BeFalse();
        await pool.DisposeAsync().AsTask().Soon();

        // A worker completes the operation that it waits for, while the pool still accepts tasks.
        async Task EndOnAWorker()
        {
            if (end != "canceled by the pool")
            {
                await pool.RunAsync(_ => wait.SetResult()).Soon();
            }
        }
    }
}
