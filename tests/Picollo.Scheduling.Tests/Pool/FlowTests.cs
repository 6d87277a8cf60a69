namespace Picollo.Scheduling.Tests.Pool;

/// <summary>The state that flows into a task, and the state that does not flow out of it.</summary>
public class FlowTests : OnePool
{
    private static readonly AsyncLocal<string?> Local = new();

    [Fact]
    public async Task Async_locals_flow_into_the_body_and_are_kept()
    {
        Local.Value = "callers";

        Task<string> task = Pool.RunAsync(async cpu =>
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
    public async Task Async_locals_do_not_flow_from_the_creator_of_the_pool_another_task_or_a_posted_callback()
    {
        Local.Value = "makers";
        await using CpuWorkerPool pool = Pools.Create();
        Local.Value = null;
        (await Seen()).Should().BeNull();

        await pool.RunAsync(_ => { Local.Value = "left behind"; }).Soon();
        (await Seen()).Should().BeNull();

        await Posted(() => Local.Value = "left behind").Soon();
        string? seen = "not called";
        await Posted(() => seen = Local.Value).Soon();
        seen.Should().BeNull();

        Task<string?> Seen()
        {
            using (ExecutionContext.SuppressFlow())
            {
                return pool.RunAsync<string?>(_ => Local.Value).Soon();
            }
        }

        Task Posted(Action action) => pool.RunAsync(_ => Pools.Posted(action));
    }

    [Fact]
    public async Task The_synchronization_context_of_a_body_runs_posted_callbacks_on_a_worker_and_is_its_own()
    {
        SynchronizationContext[] contexts = [await Body().Soon(), await Body().Soon()];

        contexts.Should().OnlyHaveUniqueItems();

        Task<SynchronizationContext> Body() => Pool.RunAsync(async _ =>
        {
            var posted = new TaskCompletionSource<bool>();
            SynchronizationContext context = SynchronizationContext.Current!;
            context.CreateCopy().Should().BeSameAs(context);
            ThreadPool.QueueUserWorkItem(_ => context.Post(_ => posted.SetResult(Pool.HasThisThread()), null));
            (await posted.Task).Should().BeTrue();
            return context;
        });
    }

    [Fact]
    public async Task Code_that_outlives_its_body_continues_in_the_thread_pool()
    {
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<bool>? left = null;
        Task? ready = null;
        await Pool.RunAsync(cpu =>
        {
            left = Part();
            ready = Task.WhenAll(Ready(), Ready(), Ready());
        }).Soon();

        wait.SetResult();

        (await left!.Soon()).Should().BeFalse();
        await ready!.Soon();

        async Task<bool> Part()
        {
            await wait.Task;
            return Pool.HasThisThread();
        }

        static async Task Ready()
        {
            await Task.Yield();
            await Task.Yield();
        }
    }

    [Fact]
    public async Task Code_in_a_blocking_checkpoint_continues_after_its_body_has_ended()
    {
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task? body = null;
        bool hasRun = false, isDone = false;

        await Pool.RunAsync(cpu => body = Body(cpu)).Soon();

        isDone.Should().BeTrue("a task can end without a continuation on a worker");
        Pool.Statistics.CompletedCount.Should().Be(2);

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
            _ = Pool.RunAsync(_ => { Volatile.Write(ref hasRun, true); });
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
        var wait = new TaskCompletionSource();
        using var started = new ManualResetEventSlim();

        Task task = Pool.RunAsync(_ =>
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
        await Pool.RunAsync(_ => { }).Soon(); // by now, the worker has left the task
        wait.SetResult();

        await task.Soon();
    }

    [Theory]
    [InlineData("result")]
    [InlineData("exception")]
    [InlineData("canceled")]
    [InlineData("refused")]
    [InlineData("canceled by the pool")]
    [InlineData("elsewhere")]
    public async Task Code_that_awaits_a_task_never_continues_on_a_worker(string end)
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);
        using var source = new CancellationTokenSource();
        var wait = new TaskCompletionSource();
        using var started = new ManualResetEventSlim();
        Task task = pool.RunAsync(
            async cpu =>
            {
                started.Set();
                await wait.Task.ConfigureAwait(end != "elsewhere");
                await (end == "elsewhere" ? CpuTaskContext.None : cpu).CheckpointAsync();
                if (end == "exception")
                {
                    throw new FormatException();
                }
            },
            cancellationToken: source.Token);
        started.Await();
        Task<bool> continued = task.ContinueWith(
            _ => pool.HasThisThread(), default, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        switch (end)
        {
            case "canceled": await source.CancelAsync(); break;
            case "refused": await pool.RunAsync(_ => source.Cancel()); break;
            case "canceled by the pool": await pool.RunAsync(_ => pool.Dispose()).Ended(); break;
        }

        if (end != "canceled by the pool")
        {
            await pool.RunAsync(_ => wait.SetResult()).Soon(); // a worker completes the operation, while the pool still accepts tasks
        }

        wait.TrySetResult();

        (await continued.Soon()).Should().BeFalse();
        await pool.DisposeAsync().AsTask().Soon();
    }
}
