using System.Collections;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests.Loops;

public class ForEachTests
{
    private const int Items = 200;

    public static TheoryData<int> Workers => [1, 2, 4];

    [Theory]
    [MemberData(nameof(Workers))]
    public async Task Each_item_is_processed_once_on_a_worker(int workers)
    {
        await using CpuWorkerPool pool = Pools.Create(workers, Pools.Short);
        foreach (Func<int[], Task> loop in new Func<int[], Task>[]
        {
            done => pool.ForEachAsync(Enumerable.Range(0, Items), (item, cpu) => Do(done, item)),
            done => pool.ForEachAsync(
                Enumerable.Range(0, Items),
                async (item, cpu) =>
                {
                    await cpu.CheckpointAsync();
                    Do(done, item);
                    await Task.Yield();
                }),
            done => pool.ForEachAsync(
                new ProbedItems(Items),
                (item, cpu) =>
                {
                    Do(done, item);
                    return Task.CompletedTask;
                }),
        })
        {
            var done = new int[Items];
            await loop(done).Soon();
            done.Should().OnlyContain(times => times == 1);
        }

        pool.Statistics.CompletedCount.Should().Be(3 * workers, "a loop has one task for each worker");

        void Do(int[] done, int item) => Interlocked.Add(ref done[item], pool.HasThisThread() ? 1 : 1000);
    }

    [Theory]
    [MemberData(nameof(Workers))]
    public async Task At_most_one_item_per_worker_is_processed_at_a_time_and_the_source_is_not_called_concurrently(int workers)
    {
        await using CpuWorkerPool pool = Pools.Create(workers, Pools.Short);
        var items = new ProbedItems(Items);
        var concurrency = new ConcurrencyCounter();
        using CancellationTokenSource source = new();

        // An item that waits outside also counts.
        await pool.ForEachAsync(
            items,
            async (item, cpu) =>
            {
                concurrency.Enter();
                await cpu.RunOutsideAsync(token => item % 7 == 0 ? Task.Delay(1, token) : Task.CompletedTask);
                await cpu.CheckpointAsync();
                concurrency.Leave();
            },
            cancellationToken: source.Token).Soon();

        concurrency.Max.Should().BeLessThanOrEqualTo(workers);
        items.MaxConcurrentMoves.Should().Be(1);
        items.Disposals.Should().Be(1);
        source.Cancel();
        items.Token.IsCancellationRequested.Should().BeFalse("otherwise, the caller's token would keep it alive");
        items.Moves.Should().Be(Items + 1, "the source is not called after its end");
    }

    [Fact]
    public async Task One_item_per_worker_is_processed_at_a_time()
    {
        const int workers = 3;
        await using CpuWorkerPool pool = Pools.Create(workers);
        using var all = new Barrier(workers);
        int met = 0;

        await pool.ForEachAsync(Enumerable.Range(0, 3 * workers), (_, _) => { Interlocked.Add(ref met, all.SignalAndWait(Pools.Deadline) ? 1 : 0); }).Soon();

        met.Should().Be(3 * workers);
    }

    [Fact]
    public async Task A_loop_over_an_empty_source_completes()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        var items = new ProbedItems(0);

        await pool.ForEachAsync(items, (_, _) => throw new FormatException()).Soon();
        await pool.ForEachAsync(Array.Empty<int>(), (_, _) => throw new FormatException()).Soon();

        items.Moves.Should().Be(1);
        items.Disposals.Should().Be(1);
    }

    [Fact]
    public async Task The_loop_fails_with_all_exceptions_and_starts_no_further_items()
    {
        const int workers = 3;
        await using CpuWorkerPool pool = Pools.Create(workers);
        var items = new ProbedItems();
        using var all = new Barrier(workers);

        Task loop = await pool.ForEachAsync(
            items,
            async (item, _) =>
            {
                all.SignalAndWait(Pools.Deadline);
                await Task.Yield();
                throw new FormatException($"{item}");
            }).Ended();

        loop.IsFaulted.Should().BeTrue();
        loop.Exception!.InnerExceptions.Should().AllBeOfType<FormatException>();
        loop.Exception.InnerExceptions.Select(each => each.Message).Should().BeEquivalentTo("0", "1", "2");
        items.Moves.Should().Be(workers);
        items.Disposals.Should().Be(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task After_an_exception_the_other_workers_stop_too(bool isSync)
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        var failure = new FormatException();

        Task loop = await (isSync
            ? pool.ForEachAsync(Endless(), (item, _) => Fail(item))
            : pool.ForEachAsync(
                new ProbedItems(),
                (item, _) =>
                {
                    Fail(item);
                    return Task.CompletedTask;
                })).Ended();

        loop.Exception!.InnerExceptions.Should().Equal(failure);

        void Fail(int item)
        {
            if (item == 50)
            {
                throw failure;
            }
        }

        static IEnumerable<int> Endless()
        {
            for (int i = 0; ; i++)
            {
                yield return i;
            }
        }
    }

    [Theory]
    [InlineData("checkpoint")]
    [InlineData("blocking checkpoint")]
    [InlineData("token")]
    public async Task After_an_exception_the_other_items_are_canceled(string wait)
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        var hasStarted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isCanceled = false;

        Task loop = await pool.ForEachAsync([0, 1], (item, cpu) => item == 0 ? Wait(cpu) : Fail()).Ended();

        loop.Exception!.InnerExceptions.Should().ContainSingle().Which.Should().BeOfType<FormatException>();
        isCanceled.Should().BeTrue();

        async Task Fail()
        {
            await hasStarted.Task;
            throw new FormatException();
        }

        async Task Wait(CpuTaskContext cpu)
        {
            hasStarted.SetResult();
            try
            {
                while (wait != "token")
                {
                    if (wait == "checkpoint")
                    {
                        await cpu.CheckpointAsync();
                    }
                    else
                    {
                        cpu.Checkpoint();
                    }
                }

                await Task.Delay(Timeout.Infinite, cpu.CancellationToken);
            }
            finally
            {
                isCanceled = cpu.CancellationToken.IsCancellationRequested;
            }
        }
    }

    [Fact]
    public async Task An_exception_of_the_source_ends_the_loop_and_the_source_is_not_called_again()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 4);
        var items = new ProbedItems(20) { Failure = new FormatException() };
        int done = 0;

        Task loop = await pool.ForEachAsync(items, (_, _) =>
        {
            Interlocked.Increment(ref done);
            return Task.CompletedTask;
        }).Ended();

        loop.Exception!.InnerExceptions.Should().Equal(items.Failure);
        done.Should().Be(20);
        items.Moves.Should().Be(21);
        items.Disposals.Should().Be(1);
    }

    [Fact]
    public async Task The_loop_fails_with_the_exceptions_of_the_disposal_and_of_the_body()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var items = new ProbedItems(3) { DisposalFailure = new TimeoutException() };
        var both = new ProbedItems(3) { DisposalFailure = new TimeoutException() };
        var failure = new FormatException();

        (await pool.ForEachAsync(items, (_, _) => Task.CompletedTask).Ended()).Exception!.InnerExceptions.Should().Equal(items.DisposalFailure);
        (await pool.ForEachAsync(both, (_, _) => Task.FromException(failure)).Ended()).Exception!.InnerExceptions.Should()
            .Equal(failure, both.DisposalFailure);
    }

    [Fact]
    public async Task An_exception_of_a_callback_on_the_token_does_not_replace_the_one_of_the_body()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var failure = new FormatException();

        Task loop = await pool.ForEachAsync([1], Task (_, cpu) =>
        {
            cpu.CancellationToken.Register(() => throw new TimeoutException());
            return Task.FromException(failure);
        }).Ended();

        loop.Exception!.InnerExceptions.Should().Equal(failure);
    }

    [Fact]
    public async Task The_loop_fails_with_the_exceptions_of_MoveNext_and_Dispose_of_its_source()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);

        Task loop = await pool.ForEachAsync(new FailingItems(), (_, _) => { }).Ended();

        loop.Exception!.InnerExceptions.Should().SatisfyRespectively(
            first => first.Should().BeOfType<FormatException>(), second => second.Should().BeOfType<TimeoutException>());
    }

    [Fact]
    public async Task A_loop_that_is_canceled_before_it_starts_does_not_read_its_source()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        var items = new ProbedItems();
        var canceled = new CancellationToken(canceled: true);

        Task loop = pool.ForEachAsync(items, (_, _) => Task.CompletedTask, cancellationToken: canceled);

        await ShouldBeCanceled(loop, canceled);
        items.Enumerations.Should().Be(0);
        items.Disposals.Should().Be(0);
    }

    [Fact]
    public async Task A_loop_that_is_canceled_while_it_runs_ends_at_the_next_checkpoint()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        var items = new ProbedItems();
        using var source = new CancellationTokenSource();
        using var far = new ManualResetEventSlim();

        // The body has no checkpoint.
        Task loop = pool.ForEachAsync(
            items,
            (item, _) =>
            {
                if (item == 100)
                {
                    far.Set();
                }

                return Task.CompletedTask;
            },
            cancellationToken: source.Token);
        far.Await();
        await source.CancelAsync();

        await ShouldBeCanceled(loop, source.Token);
        items.Token.IsCancellationRequested.Should().BeTrue("the source must be canceled, too");
        items.Disposals.Should().Be(1);
    }

    [Fact]
    public async Task A_loop_is_canceled_with_its_pool()
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);
        var items = new ProbedItems();
        using var started = new ManualResetEventSlim();
        Task loop = pool.ForEachAsync(items, (_, _) =>
        {
            started.Set();
            return Task.CompletedTask;
        });
        started.Await();

        await pool.DisposeAsync().AsTask().Soon();

        (await loop.Ended()).IsCanceled.Should().BeTrue();
        items.Disposals.Should().Be(1);
    }

    [Theory]
    [InlineData("cancellation")]
    [InlineData("disposal")]
    [InlineData("failure")]
    public async Task A_source_whose_next_item_never_arrives_does_not_prevent_the_end(string end)
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);
        using var source = new CancellationTokenSource();
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task loop = pool.ForEachAsync(
            Items(),
            async (_, _) =>
            {
                await asked.Task; // the other task has asked for the next item
                if (end == "failure")
                {
                    throw new FormatException();
                }
            },
            cancellationToken: source.Token);
        await asked.Task.Soon();

        Task disposed = Task.CompletedTask;
        switch (end)
        {
            case "cancellation": await source.CancelAsync(); break;
            case "disposal": disposed = pool.DisposeAsync().AsTask(); break;
        }

        if (end == "failure")
        {
            (await loop.Ended()).Exception!.InnerExceptions.Should().ContainSingle().Which.Should().BeOfType<FormatException>();
        }
        else if (end == "cancellation")
        {
            await ShouldBeCanceled(loop, source.Token);
        }
        else
        {
            (await loop.Ended()).IsCanceled.Should().BeTrue();
        }

        await disposed.Soon();
        await pool.DisposeAsync().AsTask().Soon();

        async IAsyncEnumerable<int> Items([EnumeratorCancellation] CancellationToken token = default)
        {
            yield return 0;
            asked.SetResult();
            await Task.Delay(Timeout.Infinite, token);
        }
    }

    [Fact]
    public async Task A_loop_that_cannot_start_does_not_read_its_source()
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);
        await pool.DrainAsync().Soon();
        var late = new ProbedItems();
        pool.Invoking(each => { _ = each.ForEachAsync(late, (_, _) => Task.CompletedTask); }).Should().Throw<ObjectDisposedException>();

        late.Enumerations.Should().Be(0);
    }

    [Fact]
    public async Task A_source_that_cannot_be_enumerated_fails_the_loop()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);

        Task loop = await pool.ForEachAsync(new ThrowingItems(), (_, _) => Task.CompletedTask).Ended();

        loop.Exception!.InnerExceptions.Should().ContainSingle().Which.Should().BeOfType<FormatException>();
    }

    [Fact]
    public async Task Null_arguments_of_a_loop_are_rejected_immediately()
    {
        await using CpuWorkerPool pool = Pools.Create();

        Refused(() => pool.ForEachAsync((IEnumerable<int>)null!, (_, _) => { }), "source");
        Refused(() => pool.ForEachAsync((IEnumerable<int>)null!, (_, _) => Task.CompletedTask), "source");
        Refused(() => pool.ForEachAsync((IAsyncEnumerable<int>)null!, (_, _) => Task.CompletedTask), "source");
        Refused(() => pool.ForEachAsync([1], (Action<int, CpuTaskContext>)null!), "body");
        Refused(() => pool.ForEachAsync([1], (Func<int, CpuTaskContext, Task>)null!), "body");
        Refused(() => pool.ForEachAsync(new ProbedItems(), null!), "body");

        static void Refused(Func<Task> loop, string argument) =>
            FluentActions.Invoking(() => { _ = loop(); }).Should().Throw<ArgumentNullException>().WithParameterName(argument);
    }

    [Fact]
    public async Task Other_tasks_run_between_the_items_of_a_loop()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        bool isDone = false;
        using var started = new ManualResetEventSlim();
        Task loop = pool.ForEachAsync(ItemsUntilDone(), (_, _) => started.Set());
        started.Await();

        await pool.RunAsync(_ => Volatile.Write(ref isDone, true)).Soon();

        await loop.Soon();

        IEnumerable<int> ItemsUntilDone()
        {
            while (!Volatile.Read(ref isDone))
            {
                yield return 0;
            }
        }
    }

    [Fact]
    public async Task A_task_can_await_a_loop_with_one_worker()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        int sum = 0;

        await pool.RunAsync(_ => pool.ForEachAsync(
            Enumerable.Range(1, 10), (outer, _) => pool.ForEachAsync(Enumerable.Range(1, 10), (inner, _) => { sum += outer * inner; }))).Soon();

        sum.Should().Be(55 * 55);
    }

    [Fact]
    public async Task The_tasks_of_a_loop_have_its_name_and_priority()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        var order = new List<string>();
        Task[] loops;
        using (Held.Worker(pool))
        {
            loops =
            [
                pool.ForEachAsync([1], (_, cpu) => order.Add(cpu.Name), new CpuTaskOptions { Priority = CpuTaskPriority.Low, Name = "low" }),
                pool.ForEachAsync([1], (_, cpu) =>
                {
                    order.Add(cpu.Name);
                    return Task.CompletedTask;
                }),
                pool.ForEachAsync(new ProbedItems(1), (_, cpu) =>
                {
                    order.Add(cpu.Name);
                    return Task.CompletedTask;
                }, new CpuTaskOptions { Priority = CpuTaskPriority.High, Name = "high" }),
            ];
        }

        await Task.WhenAll(loops).Soon();
        order.Should().Equal("high", $"{nameof(ForEachTests)}.{nameof(The_tasks_of_a_loop_have_its_name_and_priority)}", "low");
    }

    private static async Task ShouldBeCanceled(Task loop, CancellationToken token)
    {
        (await loop.Ended()).IsCanceled.Should().BeTrue();
        (await loop.Invoking(each => each).Should().ThrowAsync<OperationCanceledException>()).Which.CancellationToken.Should().Be(token);
    }

    private sealed class ThrowingItems : IAsyncEnumerable<int>
    {
        public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default) => throw new FormatException();
    }

    private sealed class FailingItems : IEnumerable<int>, IEnumerator<int>
    {
        public int Current => 0;

        object IEnumerator.Current => 0;

        public IEnumerator<int> GetEnumerator() => this;

        IEnumerator IEnumerable.GetEnumerator() => this;

        public bool MoveNext() => throw new FormatException();

        public void Reset() => throw new NotSupportedException();

        public void Dispose() => throw new TimeoutException();
    }
}
