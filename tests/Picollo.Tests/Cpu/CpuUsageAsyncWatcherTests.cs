using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests known burns on several threads, which are started in every way that .NET offers, while a background load keeps the machine
/// busy.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class CpuUsageAsyncWatcherTests : IDisposable
{
    private readonly BackgroundLoad _load = new();

    public void Dispose() => _load.Dispose();

    [Fact]
    public async Task Children_on_other_threads_are_counted()
    {
        var burnt = new BurntTime();
        using var watcher = new CpuUsageAsyncWatcher();
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            BurntTime.Burn(10, burnt);
            await Task.Yield();
            BurntTime.Burn(5, burnt);
        })));
        await Parallel.ForEachAsync(Enumerable.Range(0, 8), async (_, cancellation) =>
        {
            BurntTime.Burn(3, burnt);
            await Task.Delay(1, cancellation);
            BurntTime.Burn(2, burnt);
        });
        Parallel.For(0, 8, _ => BurntTime.Burn(3, burnt));
        NewThread.Run(() => BurntTime.Burn(10, burnt));
        await Task.Factory.StartNew(() => BurntTime.Burn(10, burnt), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        ShouldHaveCounted(watcher, burnt);
    }

    [Fact]
    public async Task Work_outside_the_flow_is_not_counted()
    {
        var burnt = new BurntTime();
        var stranger = new BurntTime();
        using var mayStart = new SemaphoreSlim(0);
        Task earlier = Task.Run(async () =>
        {
            await mayStart.WaitAsync();
            BurntTime.Burn(50, stranger);
        });

        using var watcher = new CpuUsageAsyncWatcher();
        mayStart.Release();
        Task suppressed;
        using (ExecutionContext.SuppressFlow())
        {
            suppressed = Task.Run(() => BurntTime.Burn(50, stranger));
        }

        BurntTime.Burn(10, burnt);
        await earlier;
        await suppressed;
        BurntTime.Burn(10, burnt);
        ShouldHaveCounted(watcher, burnt);
    }

    /// <summary>A continuation may run and query while the thread that queued it has not left the flow yet.</summary>
    [Fact]
    public async Task CPU_time_of_threads_that_are_still_in_the_flow_is_counted()
    {
        var burnt = new BurntTime();
        using var mayEnd = new ManualResetEventSlim();
        var hasBurnt = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var watcher = new CpuUsageAsyncWatcher();
        using var inner = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
        Task child = Task.Factory.StartNew(
            () =>
            {
                BurntTime.Burn(20, burnt);
                hasBurnt.SetResult();
                mayEnd.Wait();
                BurntTime.Burn(40);
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await hasBurnt.Task;
        BurntTime.Burn(5, burnt);
        ShouldHaveCounted(watcher, burnt);
        ShouldHaveCounted(inner, burnt);
        watcher.Stop();
        watcher.IsRunning.Should().BeFalse();
        var results = (watcher.GetTotalNanoseconds(), watcher.GetSummaryCpuUsage(), watcher.SwitchCount, watcher.WallTime);
        mayEnd.Set();
        await child;
        ShouldHaveCounted(watcher, burnt);
        (watcher.GetTotalNanoseconds(), watcher.GetSummaryCpuUsage(), watcher.SwitchCount, watcher.WallTime).Should().Be(results);
    }

    /// <summary>A total would decrease if a segment were counted twice or not at all while it ends, or if it ended before its last
    /// measurement.</summary>
    [Fact]
    public void Totals_never_decrease_while_threads_switch()
    {
        const int Asks = 20_000;
        using var watcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
        ExecutionContext flow = ExecutionContext.Capture()!;
        void Switch() => ExecutionContext.Run(flow, static _ => Thread.SpinWait(10), null);
        IDisposable[] threads = [NewThread.Loop(Switch), NewThread.Loop(Switch), NewThread.Loop(Switch)];
        long last = 0, longestStepBack = 0;
        for (int i = 0; i < Asks; i++)
        {
            long now = watcher.GetTotalNanoseconds();
            longestStepBack = Math.Max(longestStepBack, last - now);
            last = now;
        }

        Array.ForEach(threads, thread => thread.Dispose());
        last.Should().BePositive();
        longestStepBack.Should().Be(0);
    }

    [Fact]
    public async Task A_watcher_may_be_stopped_from_outside_its_flow()
    {
        var burnt = new BurntTime();
        CpuUsageAsyncWatcher? fromOutside = null;
        using var made = new SemaphoreSlim(0);
        using var stopped = new SemaphoreSlim(0);
        Task flow = Task.Run(async () =>
        {
            fromOutside = new CpuUsageAsyncWatcher();
            BurntTime.Burn(10, burnt);
            await Task.Yield();
            made.Release();
            await stopped.WaitAsync();
            BurntTime.Burn(40);
        });
        await made.WaitAsync();
        fromOutside!.Stop();
        stopped.Release();
        await flow;
        ShouldHaveCounted(fromOutside, burnt);
    }

    [Fact]
    public void A_query_from_another_watched_flow_returns_the_time_of_the_watchers_own_flow()
    {
        CpuUsageAsyncWatcher stranger = NewThread.Run(() => new CpuUsageAsyncWatcher(), flow: false);
        using var watcher = new CpuUsageAsyncWatcher();
        BurntTime.Burn(40);
        ShouldHaveCounted(stranger, new BurntTime());
    }

    [Fact]
    public void A_total_only_watcher_throws_when_asked_for_the_split()
    {
        using var watcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);

        watcher.Detail.Should().Be(CpuUsageDetail.TotalOnly);
        watcher.TryGetSummaryCpuUsage(out CpuUsage usage).Should().BeFalse();
        usage.Should().Be(default(CpuUsage));
        watcher.Invoking(w => w.GetSummaryCpuUsage()).Should().Throw<InvalidOperationException>().WithMessage("*GetTotalNanoseconds()*");
        FluentActions.Invoking(() => new CpuUsageAsyncWatcher((CpuUsageDetail)2)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("detail");
    }

    /// <summary>A query checks all threads only while a thread is counted in the flow.</summary>
    [Fact]
    public async Task Threads_count_while_they_are_in_the_flow()
    {
        using var watcher = new CpuUsageAsyncWatcher();
        using var mayEnd = new ManualResetEventSlim();
        watcher.ThreadCount.Should().Be(1);
        using (new CpuUsageAsyncWatcher())
        {
            watcher.ThreadCount.Should().Be(1);
        }

        var thread = new Thread(mayEnd.Wait);
        thread.Start();
        await Eventually(() => watcher.ThreadCount == 2);
        watcher.ThreadCount.Should().Be(2);
        mayEnd.Set();
        thread.Join();
        watcher.ThreadCount.Should().Be(1);
        watcher.Stop();
        watcher.ThreadCount.Should().Be(0);
    }

    /// <summary>Asserts that the watcher has counted the burnt time. A segment that is lost, counted twice or counted in the wrong flow
    /// makes a larger difference than the compilation of methods and the time that a hypervisor takes from a thread.</summary>
    private static void ShouldHaveCounted(CpuUsageAsyncWatcher watcher, BurntTime burnt)
    {
        // Take both readings before the comparison, which uses time inside the flow. On Windows, the split has a resolution of 15.6 ms,
        // which is longer than most of the burns.
        long total = watcher.GetTotalNanoseconds();
        bool hasFineSplit = watcher.Detail == CpuUsageDetail.UserAndKernel && !OperatingSystem.IsWindows();
        long split = hasFineSplit ? watcher.GetSummaryCpuUsage().TotalNanoseconds : total;
        long least = burnt.Nanoseconds - burnt.Tolerance, most = burnt.Nanoseconds + Math.Max(20_000_000, burnt.Nanoseconds / 2);
        total.Should().BeInRange(least, most);
        split.Should().BeInRange(least, most);
    }

    private static async Task Eventually(Func<bool> condition)
    {
        for (int i = 0; i < 12_000 && !condition(); i++)
        {
            await Task.Delay(5);
        }
    }
}
