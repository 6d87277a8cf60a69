using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>The measurement of an <c>async</c> helper, with burns that are long compared with the scheduler tick of Windows.</summary>
[Collection(nameof(ReaderContractTests))]
public class MeasureAsyncTests
{
    private static readonly TimeSpan Amount = TimeSpan.FromMilliseconds(100);

    public MeasureAsyncTests() => Burn.ResetExcludedTime();

    [Fact]
    [Trait("Category", "Slow")]
    public async Task An_async_helper_measures_the_work_that_it_runs()
    {
        TimeSpan burnt = default;
        int watchersInside = 0;
        Burn.User(Amount);
        Task<CpuUsage> measured = Helper(Work);
        WatchedFlow.Count.Should().Be(0, "the flow of the caller is unchanged");
        Burn.User(Amount);
        CpuUsage taken = await measured;
        watchersInside.Should().Be(1);
        Steps.ShouldBeAbout(taken.Total, burnt, 2 * Steps.OfSplit);

        burnt = default;
        long total = await CpuUsageAsyncWatcher.MeasureTotalNanosecondsAsync(Work);
        Steps.ShouldBeAbout(Steps.Nanoseconds(total), burnt, 2 * Steps.OfTotal);

        static async Task<CpuUsage> Helper(Func<Task> work)
        {
            await Task.Yield();
            return await CpuUsageAsyncWatcher.MeasureAsync(work);
        }

        async Task Work()
        {
            watchersInside = WatchedFlow.Count;
            burnt += Burn.User(Amount);
            await Task.Yield();
            burnt += await Task.Run(() => Burn.User(Amount));
        }
    }

    [Fact]
    public async Task The_task_fails_with_the_failure_of_the_work()
    {
        await FluentActions.Awaiting(() => CpuUsageAsyncWatcher.MeasureAsync(() => throw new FormatException())).Should().ThrowAsync<FormatException>();
        await FluentActions.Awaiting(() => CpuUsageAsyncWatcher.MeasureAsync(async () =>
        {
            await Task.Yield();
            throw new FormatException();
        })).Should().ThrowAsync<FormatException>();
        await FluentActions.Awaiting(() => CpuUsageAsyncWatcher.MeasureAsync(() => null!)).Should().ThrowAsync<InvalidOperationException>().WithMessage("*null*");
        Task canceled = CpuUsageAsyncWatcher.MeasureTotalNanosecondsAsync(() => Task.FromCanceled(new CancellationToken(canceled: true)));
        canceled.IsCanceled.Should().BeTrue();
        WatchedFlow.Count.Should().Be(0);
        FluentActions.Invoking(() => { _ = CpuUsageAsyncWatcher.MeasureAsync(null!); }).Should().Throw<ArgumentNullException>().WithParameterName("work");
    }

    [Fact]
    public async Task Work_that_continues_after_a_failure_is_not_measured()
    {
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> child = Task.FromResult(-1);
        await FluentActions.Awaiting(() => CpuUsageAsyncWatcher.MeasureAsync(() =>
        {
            child = CountLater();
            throw new FormatException();
        })).Should().ThrowAsync<FormatException>();
        gate.SetResult();
        (await child).Should().Be(0, "the watcher is stopped");

        async Task<int> CountLater()
        {
            await gate.Task;

            // A stopped innermost watcher is skipped if another one starts.
            using CpuUsageAsyncWatcher watcher = new();
            return WatchedFlow.Count - 1;
        }
    }
}
