namespace Picollo.Scheduling.Tests.Pool;

public class ResultTests
{
    [Fact]
    public async Task A_body_of_each_kind_runs_on_a_worker_and_returns_its_result()
    {
        await using CpuWorkerPool pool = Pools.Create();
        bool hasRun = false;

        (await pool.RunAsync(_ => pool.HasThisThread()).Soon()).Should().BeTrue();
        (await pool.RunAsync(async cpu =>
        {
            await Task.Yield();
            await cpu.CheckpointAsync();
            return pool.HasThisThread();
        }).Soon()).Should().BeTrue();
        await pool.RunAsync(_ => { hasRun = pool.HasThisThread(); }).Soon();
        hasRun.Should().BeTrue();
        hasRun = false;
        await pool.RunAsync(async _ =>
        {
            await Task.Delay(1);
            hasRun = pool.HasThisThread();
        }).Soon();
        hasRun.Should().BeTrue();
    }

    [Fact]
    public async Task A_body_that_returns_a_ValueTask_is_awaited_or_rejected()
    {
        await using CpuWorkerPool pool = Pools.Create();
        int ended = 0;
        async ValueTask Body()
        {
            await Task.Delay(1);
            Interlocked.Increment(ref ended);
        }

        async ValueTask<int> Result()
        {
            await Task.Delay(1);
            return 5;
        }

        await pool.RunAsync(async _ => await Body()).Soon();
        ended.Should().Be(1);
        (await pool.RunAsync(async _ => await Result()).Soon()).Should().Be(5);
        await pool.ForEachAsync([1, 2, 3], (_, _) => Body()).Soon();
        ended.Should().Be(4);

        // As with Task.Run, these bodies would be synchronous ones with a ValueTask as their result.
        FluentActions.Invoking(() => { _ = pool.RunAsync(_ => Body()); }).Should().Throw<ArgumentException>().WithParameterName("body").WithMessage("*async lambda*");
        FluentActions.Invoking(() => { _ = pool.RunAsync(_ => Result()); }).Should().Throw<ArgumentException>().WithParameterName("body");
        await pool.ForEachAsync(Enumerable.Range(1, 3).ToAsyncEnumerable(), (_, _) => Body()).Soon();
        ended.Should().Be(7);
    }

    [Fact]
    public async Task An_outside_function_must_not_be_null_or_return_null()
    {
        await using CpuWorkerPool pool = Pools.Create();

        await pool.Awaiting(p => p.RunAsync(cpu => cpu.RunOutsideAsync(_ => (Task)null!)).Soon()).Should().ThrowAsync<InvalidOperationException>();
        await pool.Awaiting(p => p.RunAsync(cpu => cpu.RunOutsideAsync(_ => (Task<int>)null!)).Soon()).Should().ThrowAsync<InvalidOperationException>();
        await pool.Awaiting(p => p.RunAsync(cpu => cpu.RunOutsideAsync((Func<CancellationToken, Task>)null!)).Soon()).Should().ThrowAsync<ArgumentNullException>().WithParameterName("function");
        await pool.Awaiting(p => p.RunAsync(cpu => cpu.RunOutsideAsync((Func<CancellationToken, Task<int>>)null!)).Soon()).Should().ThrowAsync<ArgumentNullException>().WithParameterName("function");
    }

    [Fact]
    public async Task A_result_can_be_null_and_a_body_can_complete_synchronously()
    {
        await using CpuWorkerPool pool = Pools.Create();

        (await pool.RunAsync(_ => (string?)null).Soon()).Should().BeNull();
        (await pool.RunAsync(_ => Task.FromResult(5)).Soon()).Should().Be(5);
        await pool.RunAsync(_ => Task.CompletedTask).Soon();
    }

    [Fact]
    public async Task A_task_has_the_name_of_its_options()
    {
        await using CpuWorkerPool pool = Pools.Create();

        (await pool.RunAsync(async cpu =>
        {
            await cpu.CheckpointAsync();
            return cpu.Name;
        }, new CpuTaskOptions { Name = "other" }).Soon()).Should().Be("other");
    }

    [Fact]
    public async Task Without_a_name_a_task_is_named_after_its_body()
    {
        const string here = $"{nameof(ResultTests)}.{nameof(Without_a_name_a_task_is_named_after_its_body)}";
        int captured = 1;
        var names = new System.Collections.Concurrent.ConcurrentQueue<string>();
        await using CpuWorkerPool pool = Pools.Create();

        (await pool.RunAsync(static cpu => cpu.Name).Soon()).Should().Be(here);
        (await pool.RunAsync(cpu => captured + cpu.Name).Soon()).Should().Be("1" + here);
        (await pool.RunAsync(async cpu => await ValueTask.FromResult(cpu.Name)).Soon()).Should().Be(here);
        (await pool.RunAsync(Local, new CpuTaskOptions()).Soon()).Should().Be("ResultTests.Local");
        (await pool.RunAsync(Bodies<int>.NameOf).Soon()).Should().Be("Bodies.NameOf");
        await pool.ForEachAsync([1], (_, cpu) => names.Enqueue(cpu.Name)).Soon();
        await pool.ForEachAsync([1], (_, cpu) => new ValueTask(Task.Run(() => names.Enqueue(cpu.Name)))).Soon();
        names.Should().Equal(here, here);

        Task<string> Local(CpuTaskContext cpu) => Task.FromResult(cpu.Name + (captured == 1 ? "" : "?"));
    }

    private static class Bodies<T>
    {
        public static string NameOf(CpuTaskContext cpu) => default(T) is null ? "" : cpu.Name;
    }

    [Fact]
    public async Task Contexts_of_the_same_task_are_equal()
    {
        await using CpuWorkerPool pool = Pools.Create();
        CpuTaskContext one = default, same = default;
        await pool.RunAsync(cpu => { one = same = cpu; }).Soon();
        CpuTaskContext other = await pool.RunAsync(cpu => cpu).Soon();

        (one == same).Should().BeTrue();
        (one != other).Should().BeTrue();
        one.Equals((object)same).Should().BeTrue();
        one.Equals((object)other).Should().BeFalse();
        one.GetHashCode().Should().Be(same.GetHashCode());
    }

    [Fact]
    public void Null_arguments_of_a_task_are_rejected_immediately()
    {
        using CpuWorkerPool pool = Pools.Create();

        FluentActions.Invoking(() => { _ = pool.RunAsync((Action<CpuTaskContext>)null!); }).Should().Throw<ArgumentNullException>().WithParameterName("body");
        FluentActions.Invoking(() => { _ = pool.RunAsync((Func<CpuTaskContext, Task>)null!); }).Should().Throw<ArgumentNullException>().WithParameterName("body");
        FluentActions.Invoking(() => { _ = pool.RunAsync((Func<CpuTaskContext, int>)null!); }).Should().Throw<ArgumentNullException>().WithParameterName("body");
        FluentActions.Invoking(() => { _ = pool.RunAsync((Func<CpuTaskContext, Task<int>>)null!); }).Should().Throw<ArgumentNullException>().WithParameterName("body");
        pool.Statistics.SubmittedCount.Should().Be(0);
    }

    [Fact]
    public async Task One_hundred_thousand_tasks_wait_and_end_in_order()
    {
        const int count = 100_000;
        await using CpuWorkerPool pool = Pools.Create();
        int next = 0;
        int misplaced = 0;
        Task[] tasks;
        using (Held.Worker(pool))
        {
            tasks = [.. Enumerable.Range(0, count).Select(i => pool.RunAsync(_ => { misplaced += next++ == i ? 0 : 1; }))];
            pool.Statistics.WaitingCount.Should().Be(count);
        }

        await Task.WhenAll(tasks).Soon();
        next.Should().Be(count);
        misplaced.Should().Be(0);
        pool.Statistics.CompletedCount.Should().Be(count + 1);
        pool.Statistics.WaitingCount.Should().Be(0);
    }
}
