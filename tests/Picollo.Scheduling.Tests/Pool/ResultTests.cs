using System.Collections.Concurrent;

namespace Picollo.Scheduling.Tests.Pool;

public class ResultTests : OnePool
{
    [Fact]
    public async Task A_body_that_returns_a_ValueTask_is_awaited_or_rejected()
    {
        int ended = 0;

        await Pool.RunAsync(async _ => await Body()).Soon();
        (await Pool.RunAsync(async _ => await Result()).Soon()).Should().Be(5);
        await Pool.ForEachAsync([1, 2, 3], (_, _) => Body()).Soon();
        await Pool.ForEachAsync(Enumerable.Range(1, 3).ToAsyncEnumerable(), (_, _) => Body()).Soon();
        ended.Should().Be(8);

        // As with Task.Run, these bodies would be synchronous ones with a ValueTask as their result.
        FluentActions.Invoking(() => { _ = Pool.RunAsync(_ => Body()); })
            .Should().Throw<ArgumentException>().WithParameterName("body").WithMessage("*async lambda*");
        FluentActions.Invoking(() => { _ = Pool.RunAsync(_ => Result()); }).Should().Throw<ArgumentException>().WithParameterName("body");

        async ValueTask Body()
        {
            await Task.Delay(1);
            Interlocked.Increment(ref ended);
        }

        async ValueTask<int> Result()
        {
            await Body();
            return 5;
        }
    }

    [Fact]
    public async Task Without_a_name_a_task_is_named_after_its_body()
    {
        const string here = $"{nameof(ResultTests)}.{nameof(Without_a_name_a_task_is_named_after_its_body)}";
        int captured = 1;
        var names = new ConcurrentQueue<string>();

        (await Pool.RunAsync(static cpu => cpu.Name).Soon()).Should().Be(here);
        (await Pool.RunAsync(cpu => captured + cpu.Name).Soon()).Should().Be("1" + here);
        (await Pool.RunAsync(async cpu => await ValueTask.FromResult(cpu.Name)).Soon()).Should().Be(here);
        (await Pool.RunAsync(Local, new CpuTaskOptions()).Soon()).Should().Be("ResultTests.Local");
        (await Pool.RunAsync(Bodies<int>.NameOf).Soon()).Should().Be("Bodies.NameOf");
        await Pool.ForEachAsync([1], (_, cpu) => names.Enqueue(cpu.Name)).Soon();
        await Pool.ForEachAsync([1], (_, cpu) => new ValueTask(Task.Run(() => names.Enqueue(cpu.Name)))).Soon();
        names.Should().Equal(here, here);

        Task<string> Local(CpuTaskContext cpu) => Task.FromResult(cpu.Name + (captured == 1 ? "" : "?"));
    }

    private static class Bodies<T>
    {
        public static string NameOf(CpuTaskContext cpu) => default(T) is null ? "" : cpu.Name;
    }

    [Fact]
    public void Null_arguments_are_rejected_immediately()
    {
        ShouldReject("body", () => Pool.RunAsync((Action<CpuTaskContext>)null!));
        ShouldReject("body", () => Pool.RunAsync((Func<CpuTaskContext, Task>)null!));
        ShouldReject("body", () => Pool.RunAsync((Func<CpuTaskContext, int>)null!));
        ShouldReject("body", () => Pool.RunAsync((Func<CpuTaskContext, Task<int>>)null!));
        ShouldReject("source", () => Pool.ForEachAsync((IEnumerable<int>)null!, (_, _) => { }));
        ShouldReject("source", () => Pool.ForEachAsync((IEnumerable<int>)null!, (_, _) => Task.CompletedTask));
        ShouldReject("source", () => Pool.ForEachAsync((IAsyncEnumerable<int>)null!, (_, _) => Task.CompletedTask));
        ShouldReject("body", () => Pool.ForEachAsync([1], (Action<int, CpuTaskContext>)null!));
        ShouldReject("body", () => Pool.ForEachAsync([1], (Func<int, CpuTaskContext, Task>)null!));
        ShouldReject("body", () => Pool.ForEachAsync(AsyncEnumerable.Empty<int>(), (Func<int, CpuTaskContext, Task>)null!));
        Pool.Statistics.SubmittedCount.Should().Be(0);

        static void ShouldReject(string argument, Func<Task> call) =>
            FluentActions.Invoking(() => { _ = call(); }).Should().Throw<ArgumentNullException>().WithParameterName(argument);
    }
}
