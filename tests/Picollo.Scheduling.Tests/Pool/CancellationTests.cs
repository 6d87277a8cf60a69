namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Cancellation by the caller in each state of a task.</summary>
public sealed class CancellationTests : IDisposable
{
    // The time for which tasks wait to be canceled. It is limited, so that the pool ends even if a defect prevents the cancellation.
    private static readonly TimeSpan MuchLater = TimeSpan.FromMinutes(1);

    private readonly CpuWorkerPool _pool = Pools.Create();
    private readonly CancellationTokenSource _source = new();
    private bool _hasContinued;

    public void Dispose()
    {
        _pool.Dispose();
        _source.Dispose();
    }

    [Fact]
    public async Task A_task_whose_token_is_already_canceled_is_not_submitted()
    {
        await _source.CancelAsync();

        Task task = _pool.RunAsync(_ => { _hasContinued = true; }, cancellationToken: _source.Token);

        task.IsCanceled.Should().BeTrue("it was already canceled");
        await ShouldBeCanceled(task);
        _pool.Statistics.SubmittedCount.Should().Be(0, "it was not accepted");
    }

    [Fact]
    public async Task A_task_is_canceled_while_it_waits_for_its_first_worker()
    {
        using Held held = Held.Worker(_pool);
        Task task = _pool.RunAsync(_ => { _hasContinued = true; }, cancellationToken: _source.Token);
        Task other = _pool.RunAsync(_ => { });
        _pool.Statistics.WaitingCount.Should().Be(2);

        await _source.CancelAsync();

        task.IsCanceled.Should().BeTrue("it ends immediately, without a worker");
        await ShouldBeCanceled(task);
        _pool.Statistics.WaitingCount.Should().Be(1);
        _pool.Statistics.CanceledCount.Should().Be(1);
        await held.Release();
        await other.Soon();
    }

    [Fact]
    public async Task A_running_task_is_canceled_at_a_checkpoint()
    {
        using var started = new ManualResetEventSlim();
        Task task = _pool.RunAsync(async cpu =>
        {
            started.Set();
            while (true)
            {
                await cpu.CheckpointAsync();
            }
        }, cancellationToken: _source.Token);
        started.Await();

        await _source.CancelAsync();

        await ShouldBeCanceled(task);
    }

    [Fact]
    public async Task A_running_task_is_canceled_at_a_blocking_checkpoint()
    {
        using var started = new ManualResetEventSlim();
        Task task = _pool.RunAsync(cpu =>
        {
            started.Set();
            while (true)
            {
                cpu.Checkpoint();
            }
        }, cancellationToken: _source.Token);
        started.Await();

        await _source.CancelAsync();

        await ShouldBeCanceled(task);
    }

    [Fact]
    public async Task A_running_task_is_canceled_at_the_checkpoint_after_a_wait_that_has_already_ended()
    {
        using var started = new ManualResetEventSlim();
        using var canceled = new ManualResetEventSlim();
        Task task = _pool.RunAsync(async cpu =>
        {
            started.Set();
            canceled.Await();
            await Task.Yield();
            await cpu.CheckpointAsync();
            _hasContinued = true;
        }, cancellationToken: _source.Token);
        started.Await();

        await _source.CancelAsync();
        canceled.Set();

        await ShouldBeCanceled(task);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_task_is_canceled_while_it_is_set_aside(bool isBlocking)
    {
        Task task = isBlocking
            ? _pool.RunAsync(cpu =>
            {
                while (!_hasContinued)
                {
                    cpu.Checkpoint();
                    _hasContinued = cpu.SliceCount > 1;
                }
            }, cancellationToken: _source.Token)
            : _pool.RunAsync(async cpu =>
            {
                while (!_hasContinued)
                {
                    await cpu.CheckpointAsync();
                    _hasContinued = cpu.SliceCount > 1;
                }
            }, cancellationToken: _source.Token);
        using Held held = Held.Worker(_pool);
        _pool.Statistics.WaitingCount.Should().Be(1);

        await _source.CancelAsync();
        _pool.Statistics.WaitingCount.Should().Be(1, "it has started, and its finally blocks run on a worker");
        await held.Release();

        await ShouldBeCanceled(task);
    }

    [Fact]
    public async Task A_task_is_canceled_while_it_is_outside()
    {
        var wait = new TaskCompletionSource();
        using var started = new ManualResetEventSlim();
        Task task = _pool.RunAsync(async cpu =>
        {
            await cpu.RunOutsideAsync(_ =>
            {
                started.Set();
                return wait.Task;
            });
            await cpu.CheckpointAsync();
            _hasContinued = true;
        }, cancellationToken: _source.Token);
        started.Await();
        await Pools.Until(() => _pool.Statistics.GetRunningTasks().Count == 0);

        await _source.CancelAsync();
        task.IsCompleted.Should().BeFalse("it ends when it returns to a worker");
        wait.SetResult();

        await ShouldBeCanceled(task);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_task_is_canceled_while_its_outside_function_waits_for_the_token(bool hasResult)
    {
        using var started = new ManualResetEventSlim();
        async Task<int> WaitAsync(CancellationToken token)
        {
            started.Set();
            await Task.Delay(MuchLater, token);
            return 5;
        }

        Task task = _pool.RunAsync(
            async cpu => { await (hasResult ? cpu.RunOutsideAsync(WaitAsync) : cpu.RunOutsideAsync(Task (token) => WaitAsync(token))); },
            cancellationToken: _source.Token);
        started.Await();

        await _source.CancelAsync();

        await task.Awaiting(t => t.Soon()).Should().ThrowAsync<OperationCanceledException>();
        task.IsCanceled.Should().BeTrue();
    }

    [Fact]
    public async Task The_pool_cancels_a_task_while_its_outside_function_waits_for_the_token()
    {
        using var started = new ManualResetEventSlim();
        CpuWorkerPool pool = Pools.Create();
        Task task = pool.RunAsync(
            cpu => cpu.RunOutsideAsync(token =>
            {
                started.Set();
                return Task.Delay(MuchLater, token);
            }),
            cancellationToken: _source.Token);
        started.Await();

        await pool.DisposeAsync().AsTask().Soon();

        await task.Awaiting(t => t.Soon()).Should().ThrowAsync<OperationCanceledException>();
    }

    [Fact]
    public async Task A_task_is_canceled_before_it_goes_outside()
    {
        Task task = _pool.RunAsync(async cpu =>
        {
            await _source.CancelAsync();
            await cpu.RunOutsideAsync(_ =>
            {
                _hasContinued = true;
                return Task.CompletedTask;
            });
        }, cancellationToken: _source.Token);

        await ShouldBeCanceled(task);
    }

    [Fact]
    public async Task Cancellation_after_the_end_of_a_task_has_no_effect()
    {
        (await _pool.RunAsync(_ => 5, cancellationToken: _source.Token).Soon()).Should().Be(5);

        await _source.CancelAsync();

        _pool.Statistics.CompletedCount.Should().Be(1);
        _pool.Statistics.CanceledCount.Should().Be(0);
    }

    [Fact]
    public async Task A_body_that_ignores_the_cancellation_ends_normally()
    {
        Task<int> task = _pool.RunAsync(async _ =>
        {
            await _source.CancelAsync();
            await Task.Yield();
            return 5;
        }, cancellationToken: _source.Token);

        (await task.Soon()).Should().Be(5);
        _pool.Statistics.CompletedCount.Should().Be(1);
    }

    [Fact]
    public async Task The_token_of_a_body_is_canceled_with_the_tokens_of_the_caller_and_the_pool()
    {
        using var started = new CountdownEvent(2);
        Task callers = _pool.RunAsync(Wait, cancellationToken: _source.Token);
        Task pools = _pool.RunAsync(Wait);
        started.Wait(Pools.Deadline).Should().BeTrue();

        await _source.CancelAsync();
        (await callers.Ended()).IsCanceled.Should().BeTrue();
        pools.IsCompleted.Should().BeFalse();

        started.Reset(1);
        Task alsoCallers = _pool.RunAsync(Wait, cancellationToken: new CancellationTokenSource().Token);
        started.Wait(Pools.Deadline).Should().BeTrue();
        await _pool.DisposeAsync().AsTask().Soon();
        (await pools.Ended()).IsCanceled.Should().BeTrue();
        (await alsoCallers.Ended()).IsCanceled.Should().BeTrue();

        async Task Wait(CpuTaskContext cpu)
        {
            Task wait = Task.Delay(Timeout.Infinite, cpu.CancellationToken);
            started.Signal();
            await wait;
        }
    }

    [Fact]
    public void A_token_that_outlives_a_task_does_not_keep_it_alive()
    {
        WeakReference[] bodies = Run();

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        bodies.Should().OnlyContain(body => !body.IsAlive);

        // A separate method, so that no reference remains on the stack. One task ends, one fails, and the pool cancels one before it starts.
        WeakReference[] Run()
        {
            using CpuWorkerPool pool = Pools.Create();
            var held = Held.Worker(pool);
            WeakReference[] made = [Submit(pool, fails: false), Submit(pool, fails: true), Submit(pool, fails: false, isLinked: true)];
            held.Dispose();
            Task.WhenAll(pool.RunAsync(_ => { }, new CpuTaskOptions { Priority = CpuTaskPriority.Low }).Soon()).Wait();
            using var next = Held.Worker(pool);
            made = [.. made, Submit(pool, fails: false)];
            Task disposed = pool.DisposeAsync().AsTask();
            next.Dispose();
            disposed.Wait(Pools.Deadline);
            return made;
        }

        WeakReference Submit(CpuWorkerPool pool, bool fails, bool isLinked = false)
        {
            object captured = new();
            _ = pool.RunAsync(cpu =>
            {
                GC.KeepAlive(captured);
                if (isLinked)
                {
                    _ = cpu.CancellationToken.Register(static _ => { }, captured);
                }

                if (fails)
                {
                    throw new FormatException();
                }
            }, cancellationToken: _source.Token);
            return new WeakReference(captured);
        }
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
            Task task = pool.RunAsync(async cpu =>
            {
                for (int i = 0; i < steps; i++)
                {
                    await Task.Yield();
                    await Step(cpu, isBlocking);
                }
            }, cancellationToken: source.Token);
            Thread.SpinWait(random.Next(200));
            source.Cancel();

            ((IAsyncResult)task).AsyncWaitHandle.WaitOne(Pools.Deadline).Should().BeTrue(); // does not need a thread of the thread pool
            task.IsFaulted.Should().BeFalse();
            completed += task.IsCompletedSuccessfully ? 1 : 0;
            canceled += task.IsCanceled ? 1 : 0;
        });

        pool.Statistics.CompletedCount.Should().Be(completed);
        pool.Statistics.CanceledCount.Should().Be(canceled);
        pool.Statistics.SubmittedCount.Should().Be(cases);

        static async Task Step(CpuTaskContext cpu, bool isBlocking)
        {
            if (isBlocking)
            {
                cpu.Checkpoint();
            }
            else
            {
                await cpu.CheckpointAsync();
            }
        }
    }

    private async Task ShouldBeCanceled(Task task)
    {
        (await task.Ended()).IsCanceled.Should().BeTrue();
        (await task.Invoking(each => each).Should().ThrowAsync<OperationCanceledException>())
            .Which.CancellationToken.Should().Be(_source.Token);
        _hasContinued.Should().BeFalse();
    }
}
