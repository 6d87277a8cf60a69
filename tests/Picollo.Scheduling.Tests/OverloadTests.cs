namespace Picollo.Scheduling.Tests;

/// <summary>Each overload passes the options and the token.</summary>
public class OverloadTests
{
    private static readonly int[] Items = [1];

    private static readonly Dictionary<string, Func<CpuWorkerPool, Action<CpuTaskContext>, CpuTaskOptions, CancellationToken, Task>> WithOptions = new()
    {
        ["Action"] = (pool, body, options, token) => pool.RunAsync(new Action<CpuTaskContext>(body), options, token),
        ["TResult"] = (pool, body, options, token) => pool.RunAsync(cpu => Do(body, cpu, 1), options, token),
        ["Task"] = (pool, body, options, token) => pool.RunAsync(cpu => (Task)Do(body, cpu, Task.CompletedTask), options, token),
        ["Task<TResult>"] = (pool, body, options, token) => pool.RunAsync(cpu => Do(body, cpu, Task.FromResult(1)), options, token),
        ["ValueTask"] = (pool, body, options, token) => pool.RunAsync(cpu => Do(body, cpu, default(ValueTask)), options, token),
        ["ValueTask<TResult>"] = (pool, body, options, token) => pool.RunAsync(cpu => Do(body, cpu, new ValueTask<int>(1)), options, token),
        ["each Action"] = (pool, body, options, token) => pool.ForEachAsync(Items, (_, cpu) => body(cpu), options, token),
        ["each Task"] = (pool, body, options, token) => pool.ForEachAsync(Items, (_, cpu) => Do(body, cpu, Task.CompletedTask), options, token),
        ["each ValueTask"] = (pool, body, options, token) => pool.ForEachAsync(Items, (_, cpu) => Do(body, cpu, default(ValueTask)), options, token),
        ["async each Task"] = (pool, body, options, token) =>
            pool.ForEachAsync(Items.ToAsyncEnumerable(), (_, cpu) => Do(body, cpu, Task.CompletedTask), options, token),
        ["async each ValueTask"] = (pool, body, options, token) =>
            pool.ForEachAsync(Items.ToAsyncEnumerable(), (_, cpu) => Do(body, cpu, default(ValueTask)), options, token),
    };

    private static readonly Dictionary<string, Func<CpuWorkerPool, Action<CpuTaskContext>, CancellationToken, Task>> WithoutOptions = new()
    {
        ["Action"] = (pool, body, token) => pool.RunAsync(new Action<CpuTaskContext>(body), token),
        ["TResult"] = (pool, body, token) => pool.RunAsync(cpu => Do(body, cpu, 1), token),
        ["Task"] = (pool, body, token) => pool.RunAsync(cpu => (Task)Do(body, cpu, Task.CompletedTask), token),
        ["Task<TResult>"] = (pool, body, token) => pool.RunAsync(cpu => Do(body, cpu, Task.FromResult(1)), token),
        ["ValueTask"] = (pool, body, token) => pool.RunAsync(cpu => Do(body, cpu, default(ValueTask)), token),
        ["ValueTask<TResult>"] = (pool, body, token) => pool.RunAsync(cpu => Do(body, cpu, new ValueTask<int>(1)), token),
        ["each Action"] = (pool, body, token) => pool.ForEachAsync(Items, (_, cpu) => body(cpu), token),
        ["each Task"] = (pool, body, token) => pool.ForEachAsync(Items, (_, cpu) => Do(body, cpu, Task.CompletedTask), token),
        ["each ValueTask"] = (pool, body, token) => pool.ForEachAsync(Items, (_, cpu) => Do(body, cpu, default(ValueTask)), token),
        ["async each Task"] = (pool, body, token) =>
            pool.ForEachAsync(Items.ToAsyncEnumerable(), (_, cpu) => Do(body, cpu, Task.CompletedTask), token),
        ["async each ValueTask"] = (pool, body, token) =>
            pool.ForEachAsync(Items.ToAsyncEnumerable(), (_, cpu) => Do(body, cpu, default(ValueTask)), token),
    };

    public static TheoryData<string> Overloads => [.. WithOptions.Keys];

    [Theory]
    [MemberData(nameof(Overloads))]
    public async Task An_overload_with_options_passes_the_options_and_the_token(string overload)
    {
        await using CpuWorkerPool pool = Pools.Create();
        using var source = new CancellationTokenSource();
        string name = "";
        await WithOptions[overload](pool, cpu => name = cpu.Name, new CpuTaskOptions { Name = "mine" }, source.Token).Soon();

        name.Should().Be("mine");
        await ShouldBeCanceled(token => WithOptions[overload](pool, _ => { }, new CpuTaskOptions(), token));
    }

    [Theory]
    [MemberData(nameof(Overloads))]
    public async Task An_overload_without_options_passes_the_token(string overload)
    {
        await using CpuWorkerPool pool = Pools.Create();

        await ShouldBeCanceled(token => WithoutOptions[overload](pool, _ => { }, token));
    }

    private static async Task ShouldBeCanceled(Func<CancellationToken, Task> run)
    {
        Task task = run(new CancellationToken(canceled: true));
        await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        task.IsCanceled.Should().BeTrue();
    }

    private static T Do<T>(Action<CpuTaskContext> body, CpuTaskContext cpu, T result)
    {
        body(cpu);
        return result;
    }
}
