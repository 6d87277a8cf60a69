namespace Picollo.Scheduling.Tests;

/// <summary>Tests <see cref="CpuTaskContext.None"/>, which runs bodies without a pool.</summary>
public class NoneTests
{
    private static readonly CpuTaskContext None = CpuTaskContext.None;

    [Fact]
    public async Task The_checkpoints_and_outside_functions_of_None_run_synchronously_on_the_current_thread()
    {
        Task<int> body = Body();

        body.IsCompletedSuccessfully.Should().BeTrue();
        (await body).Should().Be(3);

        static async Task<int> Body()
        {
            Thread here = Thread.CurrentThread;
            int calls = 0;
            await None.CheckpointAsync();
            None.Checkpoint();
            await None.RunOutsideAsync(token =>
            {
                calls += IsHere(token) ? 1 : 0;
                return Task.CompletedTask;
            });
            return calls + await None.RunOutsideAsync(token => Task.FromResult(IsHere(token) ? 2 : 0));

            bool IsHere(CancellationToken token) => token == CancellationToken.None && Thread.CurrentThread == here;
        }
    }

    [Fact]
    public async Task None_has_no_usage_no_name_and_no_cancellation_and_equals_only_itself()
    {
        (None.GetCpuTime(), None.WaitTime, None.SliceCount, None.Name).Should().Be((TimeSpan.Zero, TimeSpan.Zero, 0, ""));
        None.CancellationToken.Should().Be(CancellationToken.None);

        await using CpuWorkerPool pool = Pools.Create();
        CpuTaskContext other = await pool.RunAsync(cpu => cpu).Soon(), another = await pool.RunAsync(cpu => cpu).Soon();
        foreach (CpuTaskContext one in new[] { None, other, another })
        {
            CpuTaskContext same = one;
            new[] { None, other, another }.Count(each => each == one).Should().Be(1);
            ((one == same) && one.Equals((object)same) && one.GetHashCode() == same.GetHashCode() && !(one != same)).Should().BeTrue();
        }

        None.Should().Be(default(CpuTaskContext));
    }

    [Fact]
    public async Task An_outside_function_fails_in_the_same_way_with_and_without_a_pool()
    {
        await using CpuWorkerPool pool = Pools.Create();
        CpuTaskContext of = None;
        await ShouldFail();
        await pool.RunAsync(cpu =>
        {
            of = cpu;
            return ShouldFail();
        }).Soon();

        async Task ShouldFail()
        {
            await With<ArgumentNullException>(() => of.RunOutsideAsync((Func<CancellationToken, Task>)null!));
            await With<ArgumentNullException>(() => of.RunOutsideAsync((Func<CancellationToken, Task<int>>)null!));
            await With<InvalidOperationException>(() => of.RunOutsideAsync(_ => (Task)null!));
            await With<InvalidOperationException>(() => of.RunOutsideAsync(_ => (Task<int>)null!));
            await With<FormatException>(() => of.RunOutsideAsync(Task (_) => throw new FormatException()));
            await With<FormatException>(() => of.RunOutsideAsync(Task<int> (_) => throw new FormatException()));
            await With<TaskCanceledException>(() => of.RunOutsideAsync(_ => Task.FromCanceled(new CancellationToken(canceled: true))));
        }

        static Task With<TException>(Func<Task> call)
            where TException : Exception => FluentActions.Awaiting(call).Should().ThrowAsync<TException>();
    }
}
