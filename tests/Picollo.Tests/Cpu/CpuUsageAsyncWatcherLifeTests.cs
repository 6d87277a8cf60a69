using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>What a watcher tells besides the sum, and that it does not change after its end, while another load keeps the machine busy.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class CpuUsageAsyncWatcherLifeTests : IDisposable
{
    private readonly BackgroundLoad _load = new();

    public void Dispose() => _load.Dispose();

    [Fact]
    public async Task What_is_read_after_the_stop_no_longer_changes()
    {
        var watcher = new CpuUsageAsyncWatcher();
        watcher.IsRunning.Should().BeTrue();
        BurntTime.Burn(2);
        await Task.Yield();
        watcher.Stop();
        watcher.IsRunning.Should().BeFalse();
        var results = (watcher.GetSummaryCpuUsage(), watcher.GetTotalNanoseconds(), watcher.WallTime, watcher.SwitchCount);
        BurntTime.Burn(5);
        await Task.Yield();
        watcher.Stop();
        watcher.Dispose();
        (watcher.GetSummaryCpuUsage(), watcher.GetTotalNanoseconds(), watcher.WallTime, watcher.SwitchCount).Should().Be(results);
    }

    [Fact]
    public async Task Wall_time_and_switches_are_told()
    {
        using var watcher = new CpuUsageAsyncWatcher();
        await Task.Delay(20);
        await Task.Yield();

        // The thread that the flow comes from may still be about to leave it.
        await Eventually(() => watcher.SwitchCount >= 2);
        watcher.WallTime.Should().BeGreaterThanOrEqualTo(TimeSpan.FromMilliseconds(19));
        watcher.SwitchCount.Should().BeGreaterThanOrEqualTo(2);
        watcher.GetSummaryCpuUsage().Total.Should().BeLessThan(watcher.WallTime);
    }

    // The kernel tells user from kernel time by what its ticks meet, 50 of them here, and threads that take turns at the
    // ticks fall in step with them: the shares are rough, and a watcher that knows them apart shows it in one of a few attempts.
    // On a thread of its own each time, because the proportion is that of the thread's whole life.
    [Fact]
    public void User_and_kernel_time_are_told_apart()
    {
        var phase = TimeSpan.FromMilliseconds(200);
        CpuUsage inKernel = default, inUser = default;
        for (int attempt = 0; attempt < 10 && !AreApart(); attempt++)
        {
            var thread = new Thread(() =>
            {
                using var watcher = new CpuUsageAsyncWatcher();
                Burn.Kernel(phase);
                inKernel = watcher.GetSummaryCpuUsage();
                Burn.User(phase);
                inUser = watcher.GetSummaryCpuUsage() - inKernel;
            });
            thread.Start();
            thread.Join();
        }

        AreApart().Should().BeTrue($"of the two phases, one took {inKernel}, the other {inUser}");

        bool AreApart() => inKernel.KernelShare > 0.6 && inUser.UserShare > 0.8;
    }

    /// <summary>Who asks looks at all threads only while one is counted in the flow.</summary>
    [Fact]
    public async Task Threads_are_counted_in_the_flow_while_they_are_in_it()
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

    /// <summary>The runtime tells nothing of a thread's end where it was started without a context of its own.</summary>
    [Fact]
    public void A_thread_that_ended_in_a_flow_leaves_nothing_to_the_one_that_comes_after_it()
    {
        for (int i = 0; i < 20; i++)
        {
            CpuUsageAsyncWatcher? forgotten = null;
            Run(() =>
            {
                BurntTime.Burn(5);
                forgotten = new CpuUsageAsyncWatcher();
                BurntTime.Burn(1);
            });
            CpuSegment before = forgotten!.Ended;
            Run(() => new CpuUsageAsyncWatcher().Dispose());

            forgotten.Ended.Should().Be(before);
            forgotten.GetTotalNanoseconds().Should().BeInRange(0, 100_000_000);
            forgotten.SwitchCount.Should().Be(0);
        }

        static void Run(ThreadStart action)
        {
            var thread = new Thread(action);
            thread.UnsafeStart();
            thread.Join();
        }
    }

    [Fact]
    public async Task What_a_child_takes_after_the_stop_is_not_counted()
    {
        using var begun = new SemaphoreSlim(0);
        using var over = new SemaphoreSlim(0);
        using var outer = new CpuUsageAsyncWatcher(); // whose arrays the stopped one stays in
        var watcher = new CpuUsageAsyncWatcher();
        Task child = Task.Run(() =>
        {
            begun.Release();
            over.Wait();
            BurntTime.Burn(5);
        });
        begun.Wait();
        watcher.Stop();
        var results = (watcher.GetTotalNanoseconds(), watcher.GetSummaryCpuUsage(), watcher.SwitchCount, watcher.WallTime);
        over.Release();
        await child;
        (watcher.GetTotalNanoseconds(), watcher.GetSummaryCpuUsage(), watcher.SwitchCount, watcher.WallTime).Should().Be(results);
        outer.GetTotalNanoseconds().Should().BeGreaterThanOrEqualTo(5_000_000);
    }

    private static async Task Eventually(Func<bool> condition)
    {
        for (int i = 0; i < 1000 && !condition(); i++)
        {
            await Task.Delay(5);
        }
    }
}
