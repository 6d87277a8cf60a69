using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Watchers that start and stop inside the segment of another one.</summary>
[Trait("Category", "Slow")]
public class NestedWatcherTests
{
    private static readonly TimeSpan Amount = TimeSpan.FromMilliseconds(20);

    [Fact]
    public void Watchers_may_stop_in_any_order()
    {
        StopInAnyOrder(TimeSpan.Zero); // otherwise, the time to compile the second start belongs to the first watcher only

        (CpuUsageAsyncWatcher outer, CpuUsageAsyncWatcher middle, CpuUsageAsyncWatcher inner, CpuUsageAsyncWatcher last) = StopInAnyOrder(Amount);

        ShouldExceed(middle, null, 1);
        ShouldExceed(outer, middle, 1);
        ShouldExceed(inner, outer, 2);
        ShouldExceed(last, null, 2);
        ShouldExceed(inner, last, 2);
    }

    private static (CpuUsageAsyncWatcher Outer, CpuUsageAsyncWatcher Middle, CpuUsageAsyncWatcher Inner, CpuUsageAsyncWatcher Last) StopInAnyOrder(
        TimeSpan amount)
    {
        var outer = new CpuUsageAsyncWatcher();
        var middle = new CpuUsageAsyncWatcher();
        var inner = new CpuUsageAsyncWatcher();
        Burn.User(amount);
        middle.Stop();
        Burn.User(amount);
        outer.Stop();
        Burn.User(amount);
        var last = new CpuUsageAsyncWatcher();
        Burn.User(amount);
        inner.Stop();
        Burn.User(amount);
        last.Stop();
        return (outer, middle, inner, last);
    }

    [Fact]
    public void Allocated_bytes_are_those_between_start_and_stop()
    {
        var outer = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly, countsAllocations: true, listSwitches: false);
        byte[] before = new byte[50_000];
        var inner = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly, countsAllocations: true, listSwitches: false);
        byte[] inside = new byte[70_000];
        inner.Stop();
        byte[] after = new byte[90_000];
        outer.Stop();
        GC.KeepAlive((before, inside, after));

        inner.AllocatedBytes.Should().BeInRange(70_000, 75_000);
        outer.AllocatedBytes.Should().BeInRange(210_000, 220_000);
    }

    /// <summary>Another thread reads the total of all watchers while they start and stop.</summary>
    [Fact]
    public void Totals_that_another_thread_reads_are_at_least_0_and_do_not_decrease()
    {
        CpuUsageAsyncWatcher[] watchers = [];
        string? fault = null;
        var last = new Dictionary<CpuUsageAsyncWatcher, long>();
        Burn.User(Amount); // an offset that would be visible
        using (NewThread.Loop(() =>
        {
            foreach (CpuUsageAsyncWatcher watcher in Volatile.Read(ref watchers))
            {
                long now = watcher.GetTotalNanoseconds(), before = last.GetValueOrDefault(watcher);
                CpuUsage split = watcher.GetSummaryCpuUsage();
                fault ??= now < before ? $"{now} after {before}" : null;
                fault ??= split.UserNanoseconds < 0 || split.KernelNanoseconds < 0 ? $"{split}" : null;
                last[watcher] = now;
            }
        }))
        {
            for (int i = 0; i < 300; i++)
            {
                var outer = new CpuUsageAsyncWatcher();
                Burn.User(TimeSpan.FromMilliseconds(0.2));
                var inner = new CpuUsageAsyncWatcher();
                Volatile.Write(ref watchers, [outer, inner]);
                Burn.User(TimeSpan.FromMilliseconds(0.2));
                var innermost = new CpuUsageAsyncWatcher();
                Volatile.Write(ref watchers, [outer, inner, innermost]);
                Burn.Kernel(TimeSpan.FromMilliseconds(0.2));
                innermost.Stop();
                Burn.User(TimeSpan.FromMilliseconds(0.1));
                inner.Stop();
                outer.Stop();
            }
        }

        fault.Should().BeNull();
    }

    /// <summary>The runtime does not report the end of a thread that was started without a context.</summary>
    [Fact]
    public void A_thread_whose_end_is_not_reported_counts_until_its_last_measurement()
    {
        CpuUsageAsyncWatcher outer = null!, inner = null!;
        long most = 0;
        NewThread.Run(
            () =>
            {
                outer = new CpuUsageAsyncWatcher();
                Burn.User(Amount);
                inner = new CpuUsageAsyncWatcher();
                Burn.User(Amount);
                inner.Stop();
                most = CpuUsageReader.GetThreadTimeNanoseconds();
                Burn.User(Amount); // lost
            },
            flow: false);
        ShouldExceed(inner, null, 1);
        ShouldExceed(outer, inner, 1);
        outer.GetTotalNanoseconds().Should().BeLessThanOrEqualTo(most);
        long before = outer.GetTotalNanoseconds();
        NewThread.Run(static () => new CpuUsageAsyncWatcher().Stop()); // removes the segments of ended threads

        outer.GetTotalNanoseconds().Should().Be(before);
        outer.ThreadCount.Should().Be(0);
        outer.SwitchCount.Should().Be(1);
        outer.Stop();
        outer.GetTotalNanoseconds().Should().Be(before);
    }

    /// <summary>The watcher counts at least a number of burns more than the other one. Each burn takes at least its amount.</summary>
    private static void ShouldExceed(CpuUsageAsyncWatcher watcher, CpuUsageAsyncWatcher? other, int amounts) =>
        Steps.Nanoseconds(watcher.GetTotalNanoseconds() - (other?.GetTotalNanoseconds() ?? 0))
            .Should().BeGreaterThan((amounts * Amount) - Steps.OfTotal);
}
