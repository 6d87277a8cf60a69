using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests the state that a watcher leaves in a flow, the clocks that it reads, and that nothing accumulates.</summary>
public class StoppedWatcherTests
{
    [Fact]
    public void A_stopped_watcher_between_two_others_is_released()
    {
        using var outer = new CpuUsageAsyncWatcher();
        (WeakReference middle, CpuUsageAsyncWatcher inner) = StopMiddle();
        using (inner)
        {
            ExecutionContext.Run(ExecutionContext.Capture()!, static _ => { }, null);
            WatchedFlow.Count.Should().Be(2);
            GC.Collect();

            middle.IsAlive.Should().BeFalse();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static (WeakReference Middle, CpuUsageAsyncWatcher Inner) StopMiddle()
        {
            var middle = new CpuUsageAsyncWatcher();
            var inner = new CpuUsageAsyncWatcher();
            middle.Stop();
            return (new WeakReference(middle), inner);
        }
    }

    /// <summary>The thread remains in one segment: its time before the stop counts for the watcher, and its later time counts for the
    /// successor, even before the segment has ended.</summary>
    [Fact]
    [Trait("Category", "Slow")]
    public void CPU_time_after_the_stop_counts_once_for_the_successor()
    {
        var successor = CpuUsageAsyncWatcher.MakeSuccessor();
        var amount = TimeSpan.FromMilliseconds(40);
        using var hasBurnt = new ManualResetEventSlim();
        using var isStopped = new ManualResetEventSlim();
        long all = 0, later = 0, running = 0;
        long own = CpuUsageReader.GetThreadTimeNanoseconds(); // before the watcher counts
        var watcher = new CpuUsageAsyncWatcher();
        var thread = new Thread(() =>
        {
            Burn.User(amount);
            hasBurnt.Set();
            isStopped.Wait();
            long before = CpuUsageReader.GetThreadTimeNanoseconds();
            Burn.User(amount);
            running = successor.GetTotalNanoseconds();
            all = CpuUsageReader.GetThreadTimeNanoseconds();
            later = all - before;
        });
        thread.Start();
        hasBurnt.Wait();
        watcher.StopFor(successor);
        own = CpuUsageReader.GetThreadTimeNanoseconds() - own;
        isStopped.Set();
        thread.Join();

        long half = (long)amount.TotalNanoseconds / 2, total = successor.GetTotalNanoseconds();
        running.Should().BeInRange(later - half, total, "the segment had not yet ended");
        total.Should().BeInRange(running, later + half, "the time of the watcher is not counted again");
        watcher.GetTotalNanoseconds().Should().BeInRange(all - later - half, all - later + own, "it has been stopped");
        (watcher.GetTotalNanoseconds() + total).Should().BeInRange(all - half, all + own + half);
    }

    /// <summary>In a flow whose watcher is stopped, an inner watcher also counts the time, and suspended parts count for no watcher.</summary>
    [Fact]
    public async Task An_inner_watcher_and_a_suspension_leave_the_successor_in_the_flow()
    {
        var successor = CpuUsageAsyncWatcher.MakeSuccessor();
        var amount = TimeSpan.FromMilliseconds(20);
        using var mayGoOn = new SemaphoreSlim(0);
        (long Inner, long Suspended, long Last) counted = default;
        var watcher = new CpuUsageAsyncWatcher();
        Task work = Task.Run(async () =>
        {
            await mayGoOn.WaitAsync();
            using (new CpuUsageAsyncWatcher())
            {
                await Task.Yield();
                Burn.User(amount);
                counted.Inner = successor.GetTotalNanoseconds();
            }

            using (CpuUsageAsyncWatcher.Suspend())
            {
                Burn.User(amount);
                counted.Suspended = successor.GetTotalNanoseconds();
            }

            Burn.User(amount);
            counted.Last = successor.GetTotalNanoseconds();
        });
        watcher.StopFor(successor);
        mayGoOn.Release();
        await work;

        long burnt = (long)amount.TotalNanoseconds;
        counted.Inner.Should().BeGreaterThanOrEqualTo(burnt);
        counted.Suspended.Should().BeInRange(counted.Inner, counted.Inner + (burnt / 2));
        counted.Last.Should().BeGreaterThanOrEqualTo(counted.Suspended + burnt);
    }

    [Fact]
    public void Ended_threads_are_removed()
    {
        const int Threads = 500; // more than other tests have in flows
        using var watcher = new CpuUsageAsyncWatcher();
        for (int i = 0; i < Threads; i++)
        {
            NewThread.Run(static () => { });
        }

        ThreadSegment.All.Length.Should().BeLessThan(Threads);
        watcher.SwitchCount.Should().Be(Threads);
    }

    [Fact]
    public async Task Stopped_watchers_do_not_accumulate_in_a_flow()
    {
        // Stopped in a child, so that the flow itself keeps the stopped watcher until it adds the next one.
        for (int i = 0; i < 1000; i++)
        {
            var watcher = new CpuUsageAsyncWatcher();
            await Task.Run(watcher.Stop);
        }

        WatchedFlow.Count.Should().BeLessThanOrEqualTo(1);
    }

    [Fact]
    public void Overlapping_watchers_do_not_accumulate_in_a_flow()
    {
        var older = new CpuUsageAsyncWatcher();
        for (int i = 0; i < 1000; i++)
        {
            var younger = new CpuUsageAsyncWatcher();
            older.Stop();
            older = younger;
        }

        WatchedFlow.Count.Should().Be(1);
        older.Stop();
        WatchedFlow.Count.Should().Be(0);
    }
}
