using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

public class SuspendedWatcherTests
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_watcher_that_is_created_while_suspended_continues_afterwards()
    {
        var amount = TimeSpan.FromMilliseconds(20);
        using var outer = new CpuUsageAsyncWatcher();
        CpuUsageAsyncWatcher created;
        using (CpuUsageAsyncWatcher.Suspend())
        {
            created = new CpuUsageAsyncWatcher();
            using (CpuUsageAsyncWatcher.Suspend())
            {
                using var other = new CpuUsageAsyncWatcher();
            }

            Burn.User(amount);
        }

        long before = outer.GetTotalNanoseconds();
        Burn.User(amount);
        await Task.Yield();
        Burn.User(amount);
        created.Stop();
        long taken = created.GetTotalNanoseconds();
        Burn.User(amount);

        taken.Should().BeInRange(60_000_000, 60_000_000 + outer.GetTotalNanoseconds());
        created.GetTotalNanoseconds().Should().Be(taken);
        (outer.GetTotalNanoseconds() - before).Should().BeGreaterThanOrEqualTo(60_000_000);
        before.Should().BeLessThan(20_000_000, "it was suspended");
    }

    [Fact]
    public void Watchers_that_are_created_in_nested_suspensions_continue_after_all_of_them()
    {
        using var outer = new CpuUsageAsyncWatcher();
        CpuUsageAsyncWatcher first, second;
        using (CpuUsageAsyncWatcher.Suspend())
        {
            first = new CpuUsageAsyncWatcher();
            using (CpuUsageAsyncWatcher.Suspend())
            {
                second = new CpuUsageAsyncWatcher();
            }
        }

        Burn.User(TimeSpan.FromMilliseconds(20));
        second.Stop();
        first.Stop();

        second.GetTotalNanoseconds().Should().BeGreaterThanOrEqualTo(20_000_000);
        first.GetTotalNanoseconds().Should().BeGreaterThanOrEqualTo(20_000_000);
        outer.GetTotalNanoseconds().Should().BeGreaterThanOrEqualTo(20_000_000);
    }

    [Fact]
    public async Task A_suspension_that_ends_where_the_flow_is_not_suspended_does_not_add_its_watchers_again()
    {
        using var watcher = new CpuUsageAsyncWatcher();
        IDisposable suspended = await SuspendAsync();
        WatchedFlow.Count.Should().Be(1, "an async method restores the flow of its caller");

        suspended.Dispose();
        WatchedFlow.Count.Should().Be(1);

        static async Task<IDisposable> SuspendAsync()
        {
            await Task.Yield();
            return CpuUsageAsyncWatcher.Suspend();
        }
    }

    [Fact]
    public async Task A_loop_of_a_watcher_that_is_created_while_suspended_does_not_count_for_the_suspended_one()
    {
        using var mayGoOn = new SemaphoreSlim(0);
        using var outer = new CpuUsageAsyncWatcher();
        CpuUsageAsyncWatcher created;
        Task<int> inside;
        using (CpuUsageAsyncWatcher.Suspend())
        {
            created = new CpuUsageAsyncWatcher();
            inside = Task.Run(async () =>
            {
                await mayGoOn.WaitAsync();
                return WatchedFlow.Count;
            });
        }

        WatchedFlow.Count.Should().Be(2);
        mayGoOn.Release();
        (await inside).Should().Be(1);
        created.Stop();
        WatchedFlow.Count.Should().BeLessThanOrEqualTo(2, "a stopped watcher may remain innermost");
    }

    [Fact]
    public void A_watcher_that_is_stopped_while_suspended_does_not_resume()
    {
        using var outer = new CpuUsageAsyncWatcher();
        using var inner = new CpuUsageAsyncWatcher();
        using (CpuUsageAsyncWatcher.Suspend())
        {
            inner.Stop();
        }

        WatchedFlow.Count.Should().Be(1);
    }

    [Fact]
    public void Suspending_without_a_watcher_and_disposing_twice_have_no_effect()
    {
        IDisposable none = CpuUsageAsyncWatcher.Suspend();
        using var watcher = new CpuUsageAsyncWatcher();
        none.Dispose();
        WatchedFlow.Count.Should().Be(1);

        IDisposable suspended = CpuUsageAsyncWatcher.Suspend();
        suspended.Dispose();
        watcher.Stop();
        using var other = new CpuUsageAsyncWatcher();
        suspended.Dispose();
        WatchedFlow.Count.Should().Be(1);
        other.IsRunning.Should().BeTrue();
    }
}
