namespace Picollo.Scheduling.Tests.Pool;

public class ExceptionTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_exception_that_cancels_a_body_keeps_its_message_inner_exception_and_stack_trace(bool isAsync)
    {
        await using CpuWorkerPool pool = Pools.Create();
        var cause = new TimeoutException("too slow");
        void ThrowFromHere() => throw new TaskCanceledException("a backend's timeout", cause);
        async Task ThrowLater()
        {
            await Task.Yield();
            ThrowFromHere();
        }

        async Task<int> ThrowLaterInsteadOfAResult()
        {
            await ThrowLater();
            return 5;
        }

        Task[] tasks = isAsync
            ? [pool.RunAsync(_ => ThrowLater()), pool.RunAsync(_ => ThrowLaterInsteadOfAResult())]
            : [pool.RunAsync(_ => ThrowFromHere())];

        foreach (Task task in tasks)
        {
            TaskCanceledException thrown = (await task.Awaiting(t => t.Soon()).Should().ThrowAsync<TaskCanceledException>()).Which;
            thrown.Message.Should().Be("a backend's timeout");
            thrown.InnerException.Should().BeSameAs(cause);
            thrown.StackTrace.Should().Contain(nameof(ThrowFromHere));
            task.IsCanceled.Should().BeTrue();
        }
    }

    [Fact]
    public async Task A_task_fails_with_the_exception_of_its_body()
    {
        await using CpuWorkerPool pool = Pools.Create();

        await ShouldFail(pool.RunAsync(Throw), "sync");
        await ShouldFail(pool.RunAsync(int (_) => throw new FormatException("sync with result")), "sync with result");
        await ShouldFail(pool.RunAsync(Task (CpuTaskContext _) => throw new FormatException("not even a task")), "not even a task");
        await ShouldFail(pool.RunAsync(async _ =>
        {
            await Task.Yield();
            throw new FormatException("async");
        }), "async");
        await ShouldFail(pool.RunAsync(async Task<int> (_) =>
        {
            await Task.Yield();
            throw new FormatException("async with result");
        }), "async with result");
        pool.Statistics.FailedCount.Should().Be(5);
        pool.Statistics.CompletedCount.Should().Be(0);

        static void Throw(CpuTaskContext cpu) => throw new FormatException("sync");
    }

    [Fact]
    public async Task A_task_fails_with_all_exceptions_of_a_body_that_returns_several_tasks()
    {
        await using CpuWorkerPool pool = Pools.Create();

        Task task = await pool.RunAsync(_ => Task.WhenAll(
            Task.FromException(new FormatException()), Task.FromException(new TimeoutException()))).Ended();
        Task<int[]> withResult = pool.RunAsync(_ => Task.WhenAll(
            Task.FromException<int>(new FormatException()), Task.FromException<int>(new TimeoutException())));
        await withResult.Ended();

        task.Exception!.InnerExceptions.Select(each => each.GetType()).Should().Equal(typeof(FormatException), typeof(TimeoutException));
        withResult.Exception!.InnerExceptions.Select(each => each.GetType()).Should().Equal(typeof(FormatException), typeof(TimeoutException));
    }

    [Fact]
    public async Task A_body_that_returns_null_instead_of_a_task_fails()
    {
        await using CpuWorkerPool pool = Pools.Create();

        (await pool.RunAsync(Task (CpuTaskContext _) => null!).Ended()).Exception!.InnerException.Should().BeOfType<InvalidOperationException>();
        (await pool.RunAsync(Task<int> (CpuTaskContext _) => null!).Ended()).Exception!.InnerException.Should().BeOfType<InvalidOperationException>();
    }

    [Fact]
    public async Task An_exception_of_an_async_void_method_in_the_body_fails_the_task()
    {
        await using CpuWorkerPool pool = Pools.Create();

        await ShouldFail(pool.RunAsync(async _ =>
        {
            Fail();

            // The order is: the rest of Fail(), this method, the exception of Fail(), and this method again.
            await Task.Yield();
            await Task.Yield();
        }), "async void");

        static async void Fail()
        {
            await Task.Yield();
            throw new FormatException("async void");
        }
    }

    [Fact]
    public async Task A_failing_async_void_method_does_not_hide_the_end_of_a_body_outside_the_workers()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var started = new ManualResetEventSlim();

        Task task = pool.RunAsync(async _ =>
        {
            started.Set();
            Fail();
            await wait.Task.ConfigureAwait(false);
        });
        started.Await();
        await Pools.Until(() => pool.Statistics.GetRunningTasks().Count == 0);
        wait.SetResult();

        await ShouldFail(task, "async void");

        static async void Fail() => throw new FormatException("async void");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_async_void_method_that_fails_after_the_end_of_its_task_affects_nothing_else(bool isReady)
    {
        await using CpuWorkerPool pool = Pools.Create();
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        string message = $"late {isReady} {pool.Name}";
        int seen = 0;
        EventHandler<UnobservedTaskExceptionEventArgs> count = (_, e) =>
        {
            if (e.Exception.InnerException?.Message == message)
            {
                e.SetObserved();
                Interlocked.Increment(ref seen);
            }
        };
        TaskScheduler.UnobservedTaskException += count;
        try
        {
            await pool.RunAsync(cpu => Fail()).Soon();
            wait.SetResult();

            await Pools.Until(() =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return Volatile.Read(ref seen) == 1;
            });
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= count;
        }

        pool.Statistics.CompletedCount.Should().Be(1);

        async void Fail()
        {
            await (isReady ? Yield() : wait.Task);
            throw new FormatException(message);
        }

        static async Task Yield() => await Task.Yield();
    }

    [Fact]
    public async Task A_body_that_throws_a_cancellation_exception_is_canceled_with_its_token()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var own = new CancellationToken(canceled: true);

        foreach (Task task in new[]
        {
            pool.RunAsync(void (CpuTaskContext _) => throw new OperationCanceledException(own)),
            pool.RunAsync(async _ =>
            {
                await Task.Yield();
                throw new OperationCanceledException(own);
            }),
            pool.RunAsync(_ => Task.FromCanceled(own)),
            pool.RunAsync(_ => Task.FromCanceled<int>(own)),
        })
        {
            (await task.Ended()).IsCanceled.Should().BeTrue();
            (await task.Invoking(each => each).Should().ThrowAsync<OperationCanceledException>()).Which.CancellationToken.Should().Be(own);
        }

        pool.Statistics.CanceledCount.Should().Be(4);
        pool.Statistics.FailedCount.Should().Be(0);
    }

    [Fact]
    public async Task All_workers_continue_after_tasks_have_failed()
    {
        const int workers = 3;
        await using CpuWorkerPool pool = Pools.Create(workers);
        await Task.WhenAll(Enumerable.Range(0, 300).Select(i => pool.RunAsync(async _ =>
        {
            if (i % 2 == 0)
            {
                await Task.Yield();
            }

            throw new FormatException();
        }).Ended()));

        // All of them must run at the same time; otherwise, none continues.
        using var all = new Barrier(workers);
        bool[] met = await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => pool.RunAsync(_ => all.SignalAndWait(Pools.Deadline)))).Soon();
        met.Should().OnlyContain(each => each);
        pool.Statistics.FailedCount.Should().Be(300);
    }

    private static async Task ShouldFail(Task task, string message)
    {
        (await task.Ended()).IsFaulted.Should().BeTrue();
        task.Exception!.InnerExceptions.Should().ContainSingle().Which.Should().BeOfType<FormatException>().Which.Message.Should().Be(message);
    }
}
