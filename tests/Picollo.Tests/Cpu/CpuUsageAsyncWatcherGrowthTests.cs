using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>A watcher does not grow over time, and it counts its switches.</summary>
public sealed class CpuUsageAsyncWatcherGrowthTests
{
    [Fact]
    public void Ended_threads_are_removed()
    {
        const int Threads = 200;
        using var watcher = new CpuUsageAsyncWatcher();
        for (int i = 0; i < Threads; i++)
        {
            var thread = new Thread(() => { });
            thread.Start();
            thread.Join();
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

    [Fact]
    public async Task Switches_do_not_allocate()
    {
        const int Switches = 100_000;
        using var watcher = new CpuUsageAsyncWatcher();
        ExecutionContext context = ExecutionContext.Capture()!;
        await Task.Run(() =>
        {
            ExecutionContext.Restore(ExecutionContextWithout(watcher));
            ContextCallback nothing = static _ => { };
            Enumerable.Range(0, 10).Any(_ => Switch(Switches, context, nothing) == 0).Should().BeTrue("in at least one round, no other code allocates");
        });
        watcher.SwitchCount.Should().BeGreaterThanOrEqualTo(Switches);

        static long Switch(int times, ExecutionContext context, ContextCallback callback)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < times; i++)
            {
                ExecutionContext.Run(context, callback, null);
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    [Fact]
    public void A_watcher_takes_88_bytes() => // in a 64-bit process
        (Allocations.InSteadyState(() => CpuUsageAsyncWatcher.MakeStopped()) / 100).Should().Be(88);

    [Fact]
    public void Label_and_successor_do_not_allocate()
    {
        var label = new FlowLabel("GET", "/users/{id}");
        var successor = CpuUsageAsyncWatcher.MakeSuccessor(label);

        Allocations.InSteadyState(() => new CpuUsageAsyncWatcher { Label = label }.StopFor(successor))
            .Should().Be(Allocations.InSteadyState(() => new CpuUsageAsyncWatcher().Stop()));
    }

    [Fact]
    public void Only_leaving_the_flow_counts_as_a_switch()
    {
        using var outer = new CpuUsageAsyncWatcher();
        using (var inner = new CpuUsageAsyncWatcher())
        {
            inner.SwitchCount.Should().Be(0);
        }

        WatchedFlow.Count.Should().Be(1, "a stopped watcher leaves the flow that stops it");
        outer.SwitchCount.Should().Be(0);
    }

    [Fact]
    public async Task Segments_that_end_concurrently_are_all_added()
    {
        const int Segments = 200_000, Threads = 4;
        CpuUsageAsyncWatcher watcher = await Task.Run(() => new CpuUsageAsyncWatcher());
        await Eventually(() => watcher.SwitchCount == 1);
        long total = watcher.GetTotalNanoseconds();
        CpuUsage split = watcher.GetSummaryCpuUsage();
        var segment = new CpuSegment(5, new CpuUsage(3, 2));
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < Segments; i++)
            {
                watcher.Add(segment, byThreadSwitch: true);
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());

        watcher.SwitchCount.Should().Be(1 + (Threads * Segments));
        watcher.GetTotalNanoseconds().Should().Be(total + (5L * Threads * Segments));
        watcher.GetSummaryCpuUsage().Should().Be(split + new CpuUsage(3L * Threads * Segments, 2L * Threads * Segments));
    }

    private static ExecutionContext ExecutionContextWithout(CpuUsageAsyncWatcher watcher)
    {
        WatchedFlow.Leave(watcher);
        return ExecutionContext.Capture()!;
    }

    private static async Task Eventually(Func<bool> condition)
    {
        for (int i = 0; i < 12_000 && !condition(); i++)
        {
            await Task.Delay(5);
        }
    }
}
