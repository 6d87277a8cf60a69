namespace Picollo.Scheduling.Tests;

/// <summary>Tests <see cref="CpuTaskContext.None"/>, which runs bodies without a pool.</summary>
public class NoneTests
{
    [Fact]
    public void None_is_the_default_value() => default(CpuTaskContext).Should().Be(CpuTaskContext.None);

    [Fact]
    public void The_checkpoints_of_None_return_immediately()
    {
        CpuTaskContext cpu = CpuTaskContext.None;

        cpu.Checkpoint();
        cpu.CheckpointAsync().IsCompleted.Should().BeTrue();
        AwaitCheckpoints(cpu).IsCompletedSuccessfully.Should().BeTrue();

        static async Task AwaitCheckpoints(CpuTaskContext cpu)
        {
            for (int i = 0; i < 100; i++)
            {
                await cpu.CheckpointAsync();
            }
        }
    }

    [Fact]
    public void None_has_no_usage_no_name_and_no_cancellation()
    {
        (CpuTaskContext.None.GetCpuTime(), CpuTaskContext.None.WaitTime, CpuTaskContext.None.SliceCount).Should().Be((TimeSpan.Zero, TimeSpan.Zero, 0));
        CpuTaskContext.None.Name.Should().BeEmpty();
        CpuTaskContext.None.CancellationToken.Should().Be(CancellationToken.None);
    }

    [Fact]
    public async Task Outside_functions_of_None_get_no_cancellation()
    {
        CancellationToken token = new(canceled: true);

        await CpuTaskContext.None.RunOutsideAsync(given => { token = given; return Task.CompletedTask; });

        token.Should().Be(CancellationToken.None);
        (await CpuTaskContext.None.RunOutsideAsync(given => Task.FromResult(given))).Should().Be(CancellationToken.None);
    }

    [Fact]
    public async Task None_equals_only_itself()
    {
        CpuTaskContext none = CpuTaskContext.None;
        await using CpuWorkerPool pool = Pools.Create();
        CpuTaskContext other = await pool.RunAsync(cpu => cpu).Soon();

        none.GetHashCode().Should().Be(default(CpuTaskContext).GetHashCode());
        none.Equals((object)CpuTaskContext.None).Should().BeTrue();
        (none == default).Should().BeTrue();
        (none != default).Should().BeFalse();
        (none == other).Should().BeFalse();
        (other == none).Should().BeFalse();
        (none != other).Should().BeTrue();
    }

    [Fact]
    public async Task None_calls_outside_functions_on_the_current_thread()
    {
        int thread = 0;

        Task action = CpuTaskContext.None.RunOutsideAsync(_ =>
        {
            thread = Environment.CurrentManagedThreadId;
            return Task.CompletedTask;
        });
        action.IsCompletedSuccessfully.Should().BeTrue();
        thread.Should().Be(Environment.CurrentManagedThreadId);

        Task<int> function = CpuTaskContext.None.RunOutsideAsync(_ => Task.FromResult(Environment.CurrentManagedThreadId));
        function.IsCompletedSuccessfully.Should().BeTrue();
        (await function).Should().Be(thread);
    }

    [Fact]
    public async Task An_outside_function_of_None_fails_as_it_does_with_a_pool()
    {
        CpuTaskContext cpu = CpuTaskContext.None;

        cpu.Invoking(c => { _ = c.RunOutsideAsync((Func<CancellationToken, Task>)null!); }).Should().Throw<ArgumentNullException>();
        cpu.Invoking(c => { _ = c.RunOutsideAsync((Func<CancellationToken, Task<int>>)null!); }).Should().Throw<ArgumentNullException>();
        await ShouldFail<InvalidOperationException>(cpu.RunOutsideAsync(_ => (Task)null!));
        await ShouldFail<InvalidOperationException>(cpu.RunOutsideAsync(_ => (Task<int>)null!));
        await ShouldFail<FormatException>(cpu.RunOutsideAsync(Task (_) => throw new FormatException()));
        await ShouldFail<FormatException>(cpu.RunOutsideAsync(Task<int> (_) => throw new FormatException()));
        cpu.RunOutsideAsync(_ => Task.FromCanceled(new CancellationToken(canceled: true))).IsCanceled.Should().BeTrue();

        static Task ShouldFail<TException>(Task task)
            where TException : Exception => task.Awaiting(t => t).Should().ThrowAsync<TException>();
    }
}
