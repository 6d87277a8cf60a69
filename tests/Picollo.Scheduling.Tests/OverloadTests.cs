namespace Picollo.Scheduling.Tests;

/// <summary>Each overload passes the options and the token.</summary>
public class OverloadTests : OnePool
{
    private static readonly int[] Items = [1];

    private static readonly Dictionary<string, Func<CpuWorkerPool, Action<CpuTaskContext>, CpuTaskOptions?, CancellationToken, Task>> Calls = new()
    {
        ["Action"] = (pool, body, options, token) => pool.RunAsync(new Action<CpuTaskContext>(body), options, token),
        ["TResult"] = (pool, body, options, token) => pool.RunAsync(cpu => Do(body, cpu, 1), options, token),
        ["Task"] = (pool, body, options, token) => pool.RunAsync(cpu => (Task)Do(body, cpu, Task.CompletedTask), options, token),
        ["Task<TResult>"] = (pool, body, options, token) => pool.RunAsync(cpu => Do(body, cpu, Task.FromResult(1)), options, token),
        ["each Action"] = (pool, body, options, token) => pool.ForEachAsync(Items, (_, cpu) => body(cpu), options, token),
        ["each Task"] = (pool, body, options, token) => pool.ForEachAsync(Items, (_, cpu) => Do(body, cpu, Task.CompletedTask), options, token),
        ["each ValueTask"] = (pool, body, options, token) => pool.ForEachAsync(Items, (_, cpu) => Do(body, cpu, default(ValueTask)), options, token),
        ["async each Task"] = (pool, body, options, token) =>
            pool.ForEachAsync(Items.ToAsyncEnumerable(), (_, cpu) => Do(body, cpu, Task.CompletedTask), options, token),
        ["async each ValueTask"] = (pool, body, options, token) =>
            pool.ForEachAsync(Items.ToAsyncEnumerable(), (_, cpu) => Do(body, cpu, default(ValueTask)), options, token),
    };

    public static TheoryData<string> Overloads => [.. Calls.Keys];

    [Theory]
    [MemberData(nameof(Overloads))]
    public async Task An_overload_passes_the_options_and_the_token(string overload)
    {
        using var source = new CancellationTokenSource();
        string name = "";
        await Calls[overload](
            Pool,
            cpu => name = $"{cpu.Name} {((CpuTask)SynchronizationContext.Current!).Priority}",
            new CpuTaskOptions { Name = "mine", Priority = CpuTaskPriority.Low },
            source.Token).Soon();

        name.Should().Be("mine Low");
        foreach (CpuTaskOptions? options in new[] { new CpuTaskOptions(), null })
        {
            Task task = Calls[overload](Pool, _ => { }, options, new CancellationToken(canceled: true));
            await task.Ended();
            task.IsCanceled.Should().BeTrue();
        }
    }

    [Fact]
    public void There_are_nine_overloads() =>
        typeof(CpuWorkerPool).GetMethods().Count(method => method.Name is nameof(CpuWorkerPool.RunAsync) or nameof(CpuWorkerPool.ForEachAsync)).Should().Be(9);

    /// <summary>The forms of calls that users write. Each one compiles without a cast, and is awaited to its end.</summary>
    [Fact]
    public async Task A_lambda_or_a_method_binds_to_the_overload_for_its_kind()
    {
        var options = new CpuTaskOptions { Name = "sum", Priority = CpuTaskPriority.Low };
        CancellationToken token = CancellationToken.None;
        int ended = 0;

        await Pool.RunAsync(cpu => Work(cpu)).Soon();
        await Pool.RunAsync(Work, options).Soon();
        await Pool.RunAsync(cpu => { Work(cpu); return Task.CompletedTask; }).Soon();
        await Pool.RunAsync(async cpu => { await cpu.CheckpointAsync(); await Task.Yield(); Work(cpu); }).Soon();
        await Pool.RunAsync(async cpu => await WorkAsync(cpu), cancellationToken: token).Soon();
        await Pool.RunAsync(WorkAsync, options, token).Soon();
        ended.Should().Be(6);

        int[] results =
        [
            await Pool.RunAsync(_ => 1).Soon(),
            await Pool.RunAsync(Sum, cancellationToken: token).Soon(),
            await Pool.RunAsync(async cpu => { await cpu.CheckpointAsync(); return 1; }, options).Soon(),
            await Pool.RunAsync(cpu => SumAsync(cpu), cancellationToken: token).Soon(),
            await Pool.RunAsync(SumAsync, options, token).Soon(),
        ];
        results.Should().Equal(1, 1, 1, 1, 1);
        (await Pool.RunAsync(_ => (string?)null).Soon()).Should().BeNull();

        await Pool.ForEachAsync(Items, (item, cpu) => Work(cpu)).Soon();
        await Pool.ForEachAsync(Items, async (item, cpu) => await WorkAsync(cpu), cancellationToken: token).Soon();
        await Pool.ForEachAsync(Items, WorkOn).Soon();
        await Pool.ForEachAsync([1, 2], WorkOn, cancellationToken: token).Soon();
        await Pool.ForEachAsync(Items.ToAsyncEnumerable(), async (item, cpu) => { await Task.Yield(); Work(cpu); }).Soon();
        await Pool.ForEachAsync(Items.ToAsyncEnumerable(), WorkOn, options).Soon();
        ended.Should().Be(13);

        FluentActions.Invoking(() => Pool.RunAsync(cpu => throw new FormatException()).Soon().GetAwaiter().GetResult())
            .Should().Throw<FormatException>();

        void Work(CpuTaskContext cpu)
        {
            cpu.Checkpoint();
            Interlocked.Increment(ref ended);
        }

        async Task WorkAsync(CpuTaskContext cpu)
        {
            await Task.Yield();
            Work(cpu);
        }

        async ValueTask WorkOn(int item, CpuTaskContext cpu) => await WorkAsync(cpu);

        int Sum(CpuTaskContext cpu) => 1;

        Task<int> SumAsync(CpuTaskContext cpu) => Task.FromResult(1);
    }

    private static T Do<T>(Action<CpuTaskContext> body, CpuTaskContext cpu, T result)
    {
        body(cpu);
        return result;
    }
}
