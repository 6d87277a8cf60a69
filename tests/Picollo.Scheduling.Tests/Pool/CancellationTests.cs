namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Cancellation by the caller in each state of a task.</summary>
public sealed class CancellationTests : OnePool, IDisposable
{
    // The time for which tasks wait to be canceled. It is limited, so that the pool ends even if a defect prevents the cancellation.
    private static readonly TimeSpan MuchLater = TimeSpan.FromMinutes(1);

    private readonly CancellationTokenSource _source = new();
    private bool _hasContinued;

    public void Dispose() => _source.Dispose();

    [Fact]
    public async Task A_task_whose_token_is_already_canceled_is_not_submitted()
    {
        await _source.CancelAsync();

        Task task = Pool.RunAsync(_ => { _hasContinued = true; }, cancellationToken: _source.Token);

        task.IsCanceled.Should().BeTrue("it was already canceled");
        await ShouldBeCanceled(task);
        Pool.Statistics.SubmittedCount.Should().Be(0, "it was not accepted");
    }

    [Fact]
    public async Task A_task_is_canceled_while_it_waits_for_its_first_worker()
    {
        using Held held = Held.Worker(Pool);
        Task task = Pool.RunAsync(_ => { _hasContinued = true; }, cancellationToken: _source.Token);
        Task other = Pool.RunAsync(_ => { });
        Pool.Statistics.WaitingCount.Should().Be(2);

        await _source.CancelAsync();

        task.IsCanceled.Should().BeTrue("it ends immediately, without a worker");
        await ShouldBeCanceled(task);
        (Pool.Statistics.WaitingCount, Pool.Statistics.CanceledCount).Should().Be((1, 1));
        await held.Release();
        await other.Soon();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_running_task_is_canceled_at_a_checkpoint(bool isBlocking)
    {
        Busy busy = Busy.Start(Pool, isBlocking, token: _source.Token);

        await _source.CancelAsync();

        await ShouldBeCanceled(busy.Task);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_task_is_canceled_while_it_is_set_aside(bool isBlocking)
    {
        Busy busy = Busy.Start(Pool, isBlocking, token: _source.Token);
        using Held held = Held.Worker(Pool);
        Pool.Statistics.WaitingCount.Should().Be(1);

        await _source.CancelAsync();
        Pool.Statistics.WaitingCount.Should().Be(1, "it has started, and its finally blocks run on a worker");
        await held.Release();

        await ShouldBeCanceled(busy.Task);
        busy.Slices.Should().BeLessThanOrEqualTo(1, "it does not continue");
    }

    [Fact]
    public async Task A_running_task_is_canceled_at_the_checkpoint_after_a_wait_that_has_already_ended()
    {
        await ShouldBeCanceled(Pool.RunAsync(
            async cpu =>
            {
                await _source.CancelAsync();
                await Task.Yield();
                await cpu.CheckpointAsync();
                _hasContinued = true;
            },
            cancellationToken: _source.Token));
    }

    [Fact]
    public async Task A_task_is_canceled_while_it_is_outside()
    {
        var wait = new TaskCompletionSource();
        var isOnWorker = new TaskCompletionSource<bool>();
        Task task = Pool.RunAsync(
            async cpu =>
            {
                await cpu.RunOutsideAsync(_ =>
                {
                    isOnWorker.SetResult(Pool.HasThisThread());
                    return wait.Task;
                });
                await cpu.CheckpointAsync();
                _hasContinued = true;
            },
            cancellationToken: _source.Token);
        (await isOnWorker.Task.Soon()).Should().BeFalse();

        await _source.CancelAsync();
        task.IsCompleted.Should().BeFalse("it ends when it returns to a worker");
        wait.SetResult();

        await ShouldBeCanceled(task);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task A_task_is_canceled_while_its_outside_function_waits_for_the_token(bool hasResult, bool isByPool)
    {
        using var started = new ManualResetEventSlim();
        Task task = Pool.RunAsync(
            async cpu => { await (hasResult ? cpu.RunOutsideAsync(WaitAsync) : cpu.RunOutsideAsync(Task (token) => WaitAsync(token))); },
            cancellationToken: _source.Token);
        started.Await();

        await (isByPool ? Pool.DisposeAsync().AsTask().Soon() : _source.CancelAsync());

        (await task.Ended()).IsCanceled.Should().BeTrue();

        async Task<int> WaitAsync(CancellationToken token)
        {
            started.Set();
            await Task.Delay(MuchLater, token);
            return 5;
        }
    }

    [Fact]
    public async Task A_task_is_canceled_before_it_goes_outside()
    {
        Task task = Pool.RunAsync(
            async cpu =>
            {
                await _source.CancelAsync();
                await cpu.RunOutsideAsync(_ =>
                {
                    _hasContinued = true;
                    return Task.CompletedTask;
                });
            },
            cancellationToken: _source.Token);

        await ShouldBeCanceled(task);
    }

    [Fact]
    public async Task Cancellation_after_the_end_of_a_task_or_ignored_by_its_body_has_no_effect()
    {
        Task<int> task = Pool.RunAsync(
            async _ =>
            {
                await _source.CancelAsync();
                await Task.Yield();
                return 5;
            },
            cancellationToken: _source.Token);

        using var late = new CancellationTokenSource();
        (await task.Soon()).Should().Be(5);
        (await Pool.RunAsync(_ => 6, cancellationToken: late.Token).Soon()).Should().Be(6);
        await late.CancelAsync();
        (Pool.Statistics.CompletedCount, Pool.Statistics.CanceledCount).Should().Be((2, 0));
    }

    [Fact]
    public async Task The_token_of_a_body_is_canceled_with_the_tokens_of_the_caller_and_the_pool()
    {
        using var other = new CancellationTokenSource();
        Task callers = Pool.RunAsync(Wait, cancellationToken: _source.Token), pools = Pool.RunAsync(Wait);
        Task ofBoth = Pool.RunAsync(Wait, cancellationToken: other.Token);
        await Pool.UntilIdle();

        await _source.CancelAsync();
        (await callers.Ended()).IsCanceled.Should().BeTrue();
        (pools.IsCompleted || ofBoth.IsCompleted).Should().BeFalse();

        await Pool.DisposeAsync().AsTask().Soon();
        (await pools.Ended()).IsCanceled.Should().BeTrue();
        (await ofBoth.Ended()).IsCanceled.Should().BeTrue();

        static Task Wait(CpuTaskContext cpu) => Task.Delay(Timeout.Infinite, cpu.CancellationToken);
    }

    [Fact]
    public void A_task_that_is_canceled_at_any_time_is_counted_once()
    {
        const int cases = 2_000;
        using CpuWorkerPool pool = Pools.Create(workers: 2, slice: Pools.Short);
        int completed = 0, canceled = 0;
        Seeded.Run(cases, random =>
        {
            using var source = new CancellationTokenSource();
            int steps = random.Next(4);
            bool isBlocking = random.Next(2) == 0;
            Task task = pool.RunAsync(
                async cpu =>
                {
                    for (int i = 0; i < steps; i++)
                    {
                        await Task.Yield();
                        await cpu.CheckpointAsync(isBlocking);
                    }
                },
                cancellationToken: source.Token);
            Thread.SpinWait(random.Next(200));
            source.Cancel();

            ((IAsyncResult)task).AsyncWaitHandle.WaitOne(Pools.Deadline).Should().BeTrue(); // does not need a thread of the thread pool
            task.IsFaulted.Should().BeFalse();
            completed += task.IsCompletedSuccessfully ? 1 : 0;
            canceled += task.IsCanceled ? 1 : 0;
        });

        (pool.Statistics.CompletedCount, pool.Statistics.CanceledCount, pool.Statistics.SubmittedCount)
            .Should().Be((completed, canceled, cases));
    }

    private async Task ShouldBeCanceled(Task task)
    {
        (await task.Ended()).IsCanceled.Should().BeTrue();
        (await task.Invoking(each => each).Should().ThrowAsync<OperationCanceledException>()).Which.CancellationToken
            .Should().Be(_source.Token);
        _hasContinued.Should().BeFalse();
    }
}
