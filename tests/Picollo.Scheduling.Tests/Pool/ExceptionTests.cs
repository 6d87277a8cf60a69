namespace Picollo.Scheduling.Tests.Pool;

public class ExceptionTests : OnePool
{
    [Fact]
    public async Task A_task_fails_with_the_exception_of_its_body()
    {
        await ShouldFail(Pool.RunAsync(void (_) => throw new FormatException("sync")), "sync");
        await ShouldFail(Pool.RunAsync(int (_) => throw new FormatException("sync with result")), "sync with result");
        await ShouldFail(Pool.RunAsync(Task (CpuTaskContext _) => throw new FormatException("not even a task")), "not even a task");
        await ShouldFail(Pool.RunAsync(_ => ThrowLater(new FormatException("async"))), "async");
        await ShouldFail(
            Pool.RunAsync(async Task<int> (_) =>
            {
                await ThrowLater(new FormatException("async with result"));
                return 5;
            }),
            "async with result");
        foreach (Task task in new[] { Pool.RunAsync(Task (CpuTaskContext _) => null!), Pool.RunAsync(Task<int> (CpuTaskContext _) => null!) })
        {
            (await task.Ended()).Exception!.InnerException.Should().BeOfType<InvalidOperationException>();
        }

        (Pool.Statistics.FailedCount, Pool.Statistics.CompletedCount).Should().Be((7, 0));
    }

    [Fact]
    public async Task A_task_fails_with_all_exceptions_of_a_body_that_returns_several_tasks()
    {
        foreach (Task task in new[]
        {
            Pool.RunAsync(_ => Task.WhenAll(Task.FromException(new FormatException()), Task.FromException(new TimeoutException()))),
            Pool.RunAsync(_ => Task.WhenAll(Task.FromException<int>(new FormatException()), Task.FromException<int>(new TimeoutException()))),
        })
        {
            (await task.Ended()).Exception!.InnerExceptions.Select(each => each.GetType()).Should()
                .Equal(typeof(FormatException), typeof(TimeoutException));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_exception_of_an_async_void_method_in_the_body_fails_the_task(bool endsOutside)
    {
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        Task task = Pool.RunAsync(async _ =>
        {
            Fail();

            // The order is: the rest of Fail(), this method, the exception of Fail(), and this method again.
            await Task.Yield();
            await Task.Yield();
            await wait.Task.ConfigureAwait(!endsOutside);
        });
        await Pool.UntilIdle();
        wait.SetResult();

        await ShouldFail(task, "async void");

        static async void Fail()
        {
            await Task.Yield();
            throw new FormatException("async void");
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_async_void_method_that_fails_after_the_end_of_its_task_affects_nothing_else(bool isReady)
    {
        var wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var unobserved = new Unobserved();

        await Pool.RunAsync(cpu => Fail()).Soon();
        wait.SetResult();

        await unobserved.IsReported();
        Pool.Statistics.CompletedCount.Should().Be(1);

        async void Fail()
        {
            await (isReady ? Yield() : wait.Task);
            throw new FormatException(unobserved.Message);
        }

        static async Task Yield() => await Task.Yield();
    }

    [Fact]
    public async Task A_body_that_throws_a_cancellation_exception_is_canceled_with_its_token_and_the_same_exception()
    {
        var cause = new TimeoutException("too slow");
        var own = new CancellationToken(canceled: true);

        foreach (Task task in new[]
        {
            Pool.RunAsync(void (CpuTaskContext _) => ThrowFromHere()),
            Pool.RunAsync(_ => CancelLater()),
            Pool.RunAsync(async Task<int> (_) =>
            {
                await CancelLater();
                return 5;
            }),
        })
        {
            OperationCanceledException thrown = (await task.Awaiting(t => t.Soon()).Should().ThrowAsync<TaskCanceledException>()).Which;
            (thrown.Message, thrown.InnerException, thrown.CancellationToken).Should().Be(("a backend's timeout", cause, own));
            thrown.StackTrace.Should().Contain(nameof(ThrowFromHere));
            task.IsCanceled.Should().BeTrue();
        }

        foreach (Task task in new[] { Pool.RunAsync(_ => Task.FromCanceled(own)), Pool.RunAsync(_ => Task.FromCanceled<int>(own)) })
        {
            (await task.Ended()).IsCanceled.Should().BeTrue();
            (await task.Awaiting(each => each).Should().ThrowAsync<OperationCanceledException>()).Which.CancellationToken.Should().Be(own);
        }

        (Pool.Statistics.CanceledCount, Pool.Statistics.FailedCount).Should().Be((5, 0));

        void ThrowFromHere() => throw new TaskCanceledException("a backend's timeout", cause, own);

        async Task CancelLater()
        {
            await Task.Yield();
            ThrowFromHere();
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task All_workers_continue_after_tasks_have_failed(bool isBlocking)
    {
        const int workers = 3;
        await using CpuWorkerPool pool = Pools.Create(workers, Pools.Short);
        await Task.WhenAll(Enumerable.Range(0, 100).Select(
            i => (isBlocking ? pool.RunAsync(StopAndThrow) : pool.RunAsync(_ => FailAsync(i))).Ended()));

        await pool.AllWorkersShouldRun(workers);
        pool.Statistics.FailedCount.Should().Be(100);

        static Task FailAsync(int number) => number % 2 == 0 ? ThrowLater(new FormatException()) : throw new FormatException();

        static void StopAndThrow(CpuTaskContext cpu)
        {
            for (int step = 0; step < 5; step++)
            {
                Pools.Spin(TimeSpan.FromMicroseconds(300));
                cpu.Checkpoint();
            }

            throw new FormatException();
        }
    }

    private static async Task ThrowLater(Exception exception)
    {
        await Task.Yield();
        throw exception;
    }

    private static async Task ShouldFail(Task task, string message)
    {
        (await task.Ended()).IsFaulted.Should().BeTrue();
        task.Exception!.InnerExceptions.Should().ContainSingle().Which.Should().BeOfType<FormatException>().Which.Message.Should().Be(message);
    }
}
