using System.Collections;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests.Loops;

public class ForEachTests : OnePool
{
    private const int Items = 200;

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task Each_item_is_processed_once_on_a_worker(int workers)
    {
        await using CpuWorkerPool pool = Pools.Create(workers, Pools.Short);
        foreach (Func<Action<int>, Task> loop in new Func<Action<int>, Task>[]
        {
            act => pool.ForEachAsync(Enumerable.Range(0, Items), (item, cpu) => act(item)),
            act => pool.ForEachAsync(
                Enumerable.Range(0, Items),
                async (item, cpu) =>
                {
                    await cpu.CheckpointAsync();
                    act(item);
                    await Task.Yield();
                }),
            act => pool.ForEachAsync(new ProbedItems(Items), Do(act)),
        })
        {
            var done = new int[Items];
            await loop(item => Interlocked.Add(ref done[item], pool.HasThisThread() ? 1 : 1000)).Soon();
            done.Should().OnlyContain(times => times == 1);
        }

        pool.Statistics.CompletedCount.Should().Be(3 * workers, "a loop has one task for each worker");
    }

    private static Func<int, CpuTaskContext, Task> Do(Action<int> action) => (item, _) =>
    {
        action(item);
        return Task.CompletedTask;
    };

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
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
        (items.MaxConcurrentMoves, items.Disposals).Should().Be((1, 1));
        source.Cancel();
        items.Token.IsCancellationRequested.Should().BeFalse("otherwise, the caller's token would keep it alive");
        items.Moves.Should().Be(Items + 1, "the source is not called after its end");
    }

    [Fact]
    public async Task A_loop_over_an_empty_source_completes()
    {
        var items = new ProbedItems(0);

        await Pool.ForEachAsync(items, (_, _) => throw new FormatException()).Soon();
        await Pool.ForEachAsync(Array.Empty<int>(), (_, _) => throw new FormatException()).Soon();

        (items.Moves, items.Disposals).Should().Be((1, 1));
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
        (items.Moves, items.Disposals).Should().Be((workers, 1));
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
                while (wait == "blocking checkpoint")
                {
                    cpu.Checkpoint();
                }

                while (wait == "checkpoint")
                {
                    await cpu.CheckpointAsync();
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

        Task loop = await pool.ForEachAsync(items, Do(_ => Interlocked.Increment(ref done))).Ended();

        loop.Exception!.InnerExceptions.Should().Equal(items.Failure);
        (done, items.Moves, items.Disposals).Should().Be((20, 21, 1));
    }

    [Fact]
    public async Task The_loop_fails_with_all_exceptions_of_the_source_and_the_body_but_not_of_a_callback_on_the_token()
    {
        FormatException failure = new(), ofEnumeration = new(), ofMove = new();
        TimeoutException ofDisposal = new();

        (await Failures(new ProbedItems(3) { DisposalFailure = ofDisposal }, Do(_ => { }))).Should().Equal(ofDisposal);
        (await Failures(new ProbedItems(3) { DisposalFailure = ofDisposal }, (_, _) => Task.FromException(failure)))
            .Should().Equal(failure, ofDisposal);
        (await Failures(new ProbedItems(0) { Failure = ofMove, DisposalFailure = ofDisposal }, Do(_ => { })))
            .Should().Equal(ofMove, ofDisposal);
        (await Failures(new ProbedItems { EnumerationFailure = ofEnumeration }, Do(_ => { }))).Should().Equal(ofEnumeration);
        (await Failures(new ProbedItems(1), FailInCallback)).Should().Equal(failure);
        (await Pool.ForEachAsync(new FailingItems(ofMove, ofDisposal), (_, _) => { }).Ended()).Exception!.InnerExceptions
            .Should().Equal(ofMove, ofDisposal);

        async Task<IEnumerable<Exception>> Failures(ProbedItems items, Func<int, CpuTaskContext, Task> body) =>
            (await Pool.ForEachAsync(items, body).Ended()).Exception!.InnerExceptions;

        Task FailInCallback(int item, CpuTaskContext cpu)
        {
            cpu.CancellationToken.Register(() => throw new TimeoutException());
            return Task.FromException(failure);
        }
    }

    [Fact]
    public async Task A_loop_that_is_canceled_before_it_starts_or_cannot_start_does_not_read_its_source()
    {
        var items = new ProbedItems();
        var canceled = new CancellationToken(canceled: true);

        await ShouldBeCanceled(Pool.ForEachAsync(items, Do(_ => { }), cancellationToken: canceled), canceled);
        await Pool.DrainAsync().Soon();
        Pool.Invoking(each => { _ = each.ForEachAsync(items, Do(_ => { })); }).Should().Throw<ObjectDisposedException>();

        (items.Enumerations, items.Disposals).Should().Be((0, 0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_loop_that_is_canceled_while_it_runs_ends_at_the_next_checkpoint(bool isByPool)
    {
        CpuWorkerPool pool = Pools.Create(workers: 2);
        var items = new ProbedItems();
        using var source = new CancellationTokenSource();

        // The body has no checkpoint.
        Task loop = pool.ForEachAsync(items, Do(_ => { }), cancellationToken: source.Token);
        await Pools.Until(() => items.Moves > 100);
        await (isByPool ? pool.DisposeAsync().AsTask().Soon() : source.CancelAsync());

        (await loop.Ended()).IsCanceled.Should().BeTrue();
        await (isByPool ? Task.CompletedTask : ShouldBeCanceled(loop, source.Token));
        items.Token.IsCancellationRequested.Should().BeTrue("the source must be canceled, too");
        items.Disposals.Should().Be(1);
        await pool.DisposeAsync();
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

        await (end == "cancellation" ? source.CancelAsync() : end == "disposal" ? pool.DisposeAsync().AsTask().Soon() : Task.CompletedTask);

        (await loop.Ended()).IsCanceled.Should().Be(end != "failure");
        (loop.Exception?.InnerExceptions ?? []).Select(each => each.GetType())
            .Should().Equal(end == "failure" ? [typeof(FormatException)] : []);
        await pool.DisposeAsync().AsTask().Soon();

        async IAsyncEnumerable<int> Items([EnumeratorCancellation] CancellationToken token = default)
        {
            yield return 0;
            asked.SetResult();
            await Task.Delay(Timeout.Infinite, token);
        }
    }

    [Fact]
    public async Task Other_tasks_run_between_the_items_of_a_loop()
    {
        bool isDone = false;
        using var started = new ManualResetEventSlim();
        IEnumerable<int> items = Enumerable.Range(0, int.MaxValue).TakeWhile(_ => !Volatile.Read(ref isDone));
        Task loop = Pool.ForEachAsync(items, (_, _) => started.Set());
        started.Await();

        await Pool.RunAsync(_ => Volatile.Write(ref isDone, true)).Soon();

        await loop.Soon();
    }

    private static async Task ShouldBeCanceled(Task loop, CancellationToken token)
    {
        (await loop.Ended()).IsCanceled.Should().BeTrue();
        (await loop.Invoking(each => each).Should().ThrowAsync<OperationCanceledException>()).Which.CancellationToken.Should().Be(token);
    }

    private sealed class FailingItems(Exception ofMove, Exception ofDisposal) : IEnumerable<int>, IEnumerator<int>
    {
        public int Current => 0;

        object IEnumerator.Current => 0;

        public IEnumerator<int> GetEnumerator() => this;

        IEnumerator IEnumerable.GetEnumerator() => this;

        public bool MoveNext() => throw ofMove;

        public void Reset() => throw new NotSupportedException();

        public void Dispose() => throw ofDisposal;
    }
}
