using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests the other properties of a watcher, and that its results do not change after its stop, while a background load keeps the
/// machine busy.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class CpuUsageAsyncWatcherLifeTests : IDisposable
{
    private readonly BackgroundLoad _load = new();

    public void Dispose() => _load.Dispose();

    [Fact]
    public async Task Results_do_not_change_after_the_stop()
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
    public async Task Wall_time_and_switches_are_reported()
    {
        using var watcher = new CpuUsageAsyncWatcher();
        await Task.Delay(20);
        await Task.Yield();

        // The previous thread of the flow may not have left it yet.
        await Eventually(() => watcher.SwitchCount >= 2);
        watcher.WallTime.Should().BeGreaterThanOrEqualTo(TimeSpan.FromMilliseconds(19));
        watcher.SwitchCount.Should().BeGreaterThanOrEqualTo(2);
        watcher.GetSummaryCpuUsage().Total.Should().BeLessThan(watcher.WallTime);
    }

    // The kernel splits the CPU time by the mode at its ticks. There are only 50 ticks here, and threads that alternate with the ticks become
    // synchronized with them, so the shares are imprecise, and only one of a few attempts must show the difference. Each attempt uses a new
    // thread, because the kernel applies the ratio of the whole life of the thread.
    [Fact]
    public void User_and_kernel_time_are_distinguished()
    {
        var phase = TimeSpan.FromMilliseconds(200);
        CpuUsage inKernel = default, inUser = default;
        for (int attempt = 0; attempt < 10 && !AreDistinguished(); attempt++)
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

        AreDistinguished().Should().BeTrue($"of the two phases, one took {inKernel}, the other {inUser}");

        bool AreDistinguished() => inKernel.KernelShare > 0.6 && inUser.UserShare > 0.8;
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

    /// <summary>The runtime does not report the end of a thread that was started without a context.</summary>
    [Fact]
    public void A_thread_that_ended_in_a_flow_does_not_affect_the_next_thread()
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
            CpuSegment before = forgotten!.Sums;
            Run(() => new CpuUsageAsyncWatcher().Dispose());

            forgotten.Sums.Should().Be(before);
            forgotten.GetTotalNanoseconds().Should().BeInRange(0, 100_000_000);
            forgotten.SwitchCount.Should().Be(1, "the next thread ends the segment");
        }

        static void Run(ThreadStart action)
        {
            var thread = new Thread(action);
            thread.UnsafeStart();
            thread.Join();
        }
    }

    [Fact]
    public async Task CPU_time_of_a_child_after_the_stop_is_not_counted()
    {
        using var begun = new SemaphoreSlim(0);
        using var over = new SemaphoreSlim(0);
        using var outer = new CpuUsageAsyncWatcher(); // the stopped watcher remains linked from this one
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
        for (int i = 0; i < 12_000 && !condition(); i++)
        {
            await Task.Delay(5);
        }
    }
}
