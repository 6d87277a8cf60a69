using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests known burns on several threads, which are started in every way that .NET offers, while a background load keeps the machine
/// busy.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class CpuUsageAsyncWatcherTests : IDisposable
{
    private readonly BackgroundLoad _load = new();

    private delegate void Expectation(CpuUsageAsyncWatcher watcher, BurntTime burnt);

    public void Dispose() => _load.Dispose();

    [Fact]
    public Task Code_around_awaits_is_counted() => RunWarm(async expect =>
    {
        var burnt = new BurntTime();
        using var watcher = new CpuUsageAsyncWatcher();
        await Work();
        expect(watcher, burnt);

        async Task Work()
        {
            for (int i = 0; i < 10; i++)
            {
                BurntTime.Burn(3, burnt);
                await Task.Yield();
                BurntTime.Burn(2, burnt);
                await Task.Delay(1).ConfigureAwait(false);
            }
        }
    });

    [Fact]
    public Task Children_on_other_threads_are_counted() => RunWarm(async expect =>
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
        await Task.Factory.StartNew(() => BurntTime.Burn(10, burnt), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        expect(watcher, burnt);
    });

    [Fact]
    public Task A_thread_started_in_the_flow_is_counted() => RunWarm(expect =>
    {
        var burnt = new BurntTime();
        using var watcher = new CpuUsageAsyncWatcher();
        var thread = new Thread(() => BurntTime.Burn(20, burnt));
        thread.Start();
        thread.Join();
        expect(watcher, burnt);
        watcher.SwitchCount.Should().Be(1, "one thread has left the flow; this one has not");
        return Task.CompletedTask;
    });

    [Fact]
    public Task Value_tasks_and_async_iterators_are_counted_where_they_are_consumed() => RunWarm(async expect =>
    {
        var burnt = new BurntTime();
        using var watcher = new CpuUsageAsyncWatcher();
        await foreach (int value in Produce())
        {
            BurntTime.Burn(value, burnt);
        }

        expect(watcher, burnt);

        async IAsyncEnumerable<int> Produce()
        {
            for (int i = 1; i <= 5; i++)
            {
                BurntTime.Burn(await Delayed(3), burnt);
                yield return i;
            }
        }

        static async ValueTask<int> Delayed(int value)
        {
            await Task.Delay(1);
            return value;
        }
    });

    [Fact]
    public Task Timers_made_in_the_flow_are_counted() => RunWarm(async expect =>
    {
        var burnt = new BurntTime();
        var rung = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var watcher = new CpuUsageAsyncWatcher();
        await using var timer = new Timer(_ =>
        {
            BurntTime.Burn(15, burnt);
            rung.SetResult();
        }, null, dueTime: 1, Timeout.Infinite);
        await rung.Task;

        expect(watcher, burnt);
    });

    [Fact]
    public Task Work_outside_the_flow_is_not_counted() => RunWarm(async expect =>
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
        expect(watcher, burnt);
    });

    [Fact]
    public Task The_running_segment_counts_in_a_query_inside_the_flow() => RunWarm(expect =>
    {
        var burnt = new BurntTime();
        using var watcher = new CpuUsageAsyncWatcher();
        BurntTime.Burn(20, burnt);
        expect(watcher, burnt);
        BurntTime.Burn(20, burnt);
        expect(watcher, burnt);
        watcher.SwitchCount.Should().Be(0);
        return Task.CompletedTask;
    });

    /// <summary>A continuation may run and query while the thread that queued it has not left the flow yet.</summary>
    [Fact]
    public Task CPU_time_of_threads_that_are_still_in_the_flow_is_counted() => RunWarm(async expect =>
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
                BurntTime.Burn(20);
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await hasBurnt.Task;
        BurntTime.Burn(5, burnt);
        expect(watcher, burnt);
        expect(inner, burnt);
        watcher.Stop();
        mayEnd.Set();
        await child;
        expect(watcher, burnt);
    });

    /// <summary>A total would decrease if a segment were counted twice or not at all while it ends, or if it ended before its last
    /// measurement.</summary>
    [Fact]
    public async Task Totals_never_decrease_while_threads_switch()
    {
        const int Asks = 20_000;
        using var watcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
        using var over = new CancellationTokenSource();
        ExecutionContext flow = ExecutionContext.Capture()!;
        Thread[] threads = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
        {
            while (!over.IsCancellationRequested)
            {
                ExecutionContext.Run(flow, static _ => Thread.SpinWait(10), null);
            }
        }))];
        using (ExecutionContext.SuppressFlow())
        {
            Array.ForEach(threads, thread => thread.Start());
        }

        long last = 0, longestStepBack = 0;
        for (int i = 0; i < Asks; i++)
        {
            long now = watcher.GetTotalNanoseconds();
            longestStepBack = Math.Max(longestStepBack, last - now);
            last = now;
        }

        await over.CancelAsync();
        Array.ForEach(threads, thread => thread.Join());
        last.Should().BePositive();
        longestStepBack.Should().Be(0);
    }

    [Fact]
    public Task Nested_watchers_count_their_own_parts() => RunWarm(async expect =>
    {
        BurntTime outer = new(), inner = new();
        using var outerWatcher = new CpuUsageAsyncWatcher();
        BurntTime.Burn(5, outer);
        await Task.Yield();
        using (var innerWatcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly))
        {
            BurntTime.Burn(10, outer, inner);
            await Task.Yield();
            await Task.Run(() => BurntTime.Burn(10, outer, inner));
            expect(innerWatcher, inner);
            innerWatcher.Stop();
            BurntTime.Burn(5, outer);
            expect(innerWatcher, inner);
        }

        await Task.Yield();
        BurntTime.Burn(5, outer);
        expect(outerWatcher, outer);
    });

    [Fact]
    public Task Overlapping_watchers_do_not_affect_each_other() => RunWarm(async expect =>
    {
        BurntTime first = new(), second = new(), third = new();
        var a = new CpuUsageAsyncWatcher();
        BurntTime.Burn(5, first);
        await Task.Yield();
        var b = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
        BurntTime.Burn(5, first, second);
        await Task.Yield();
        a.Stop();
        BurntTime.Burn(5, second);
        await Task.Yield();
        var c = new CpuUsageAsyncWatcher();
        BurntTime.Burn(5, second, third);
        await Task.Yield();
        b.Stop();
        BurntTime.Burn(5, third);
        await Task.Yield();
        c.Stop();
        BurntTime.Burn(5);

        expect(a, first);
        expect(b, second);
        expect(c, third);
    });

    [Fact]
    public Task Concurrent_flows_are_counted_separately() => RunWarm(async expect =>
    {
        using var everything = new CpuUsageAsyncWatcher();
        var all = new BurntTime();
        await Task.WhenAll(Enumerable.Range(1, 6).Select(i => Task.Run(async () =>
        {
            var mine = new BurntTime();
            using var watcher = new CpuUsageAsyncWatcher();
            for (int round = 0; round < 5; round++)
            {
                BurntTime.Burn(i, mine, all);
                await Task.Yield();
            }

            expect(watcher, mine);
        })));
        expect(everything, all);
    });

    [Fact]
    public Task A_watcher_may_be_stopped_from_outside_its_flow_and_from_a_child() => RunWarm(async expect =>
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
            BurntTime.Burn(10);
        });
        await made.WaitAsync();
        fromOutside!.Stop();
        stopped.Release();
        await flow;
        expect(fromOutside, burnt);

        var own = new BurntTime();
        var fromChild = new CpuUsageAsyncWatcher();
        BurntTime.Burn(5, own);
        await Task.Run(() =>
        {
            BurntTime.Burn(5, own);
            fromChild.Stop();
        });
        BurntTime.Burn(10);
        expect(fromChild, own);
    });

    [Fact]
    public Task A_query_from_another_watched_flow_returns_the_time_of_the_watchers_own_flow() => RunWarm(async expect =>
    {
        CpuUsageAsyncWatcher stranger = await Task.Run(() => new CpuUsageAsyncWatcher());
        using var watcher = new CpuUsageAsyncWatcher();
        BurntTime.Burn(20);
        expect(stranger, new BurntTime());
    });

    [Fact]
    public Task A_total_only_watcher_throws_when_asked_for_the_split() => RunWarm(async expect =>
    {
        var burnt = new BurntTime();
        using var watcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
        watcher.Detail.Should().Be(CpuUsageDetail.TotalOnly);
        BurntTime.Burn(10, burnt);
        await Task.Yield();
        expect(watcher, burnt);
        watcher.TryGetSummaryCpuUsage(out CpuUsage usage).Should().BeFalse();
        usage.Should().Be(default(CpuUsage));
        watcher.Invoking(w => w.GetSummaryCpuUsage()).Should().Throw<InvalidOperationException>().WithMessage("*GetTotalNanoseconds()*");
        FluentActions.Invoking(() => new CpuUsageAsyncWatcher((CpuUsageDetail)2)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("detail");
    });

    /// <summary>
    /// Runs the scenario until the result does not exceed the burnt time, at most five times, after one run to warm up. Missing time fails
    /// immediately. Excess time fails only if it recurs: a method is compiled on the thread that first calls it, and time that a hypervisor
    /// takes from a virtual processor counts for its thread. Occasionally, this adds milliseconds.
    /// </summary>
    private static async Task RunWarm(Func<Expectation, Task> scenario)
    {
        const int Attempts = 5;
        for (int attempt = 0; attempt <= Attempts; attempt++)
        {
            bool isLast = attempt == Attempts;
            bool tooMuch = false;

            // Each scenario has a separate flow, so that it does not affect the next one.
            await Task.Run(() => scenario((watcher, burnt) => tooMuch |= !IsAtMost(watcher, burnt, isLast)));
            if (attempt > 0 && !tooMuch)
            {
                return;
            }
        }
    }

    private static bool IsAtMost(CpuUsageAsyncWatcher watcher, BurntTime burnt, bool orElseFail)
    {
        // Take both readings before the comparison, which uses time inside the flow. On Windows, the split has a resolution of 15.6 ms,
        // which is longer than most of the burns.
        long total = watcher.GetTotalNanoseconds();
        bool hasFineSplit = watcher.Detail == CpuUsageDetail.UserAndKernel && !OperatingSystem.IsWindows();
        long split = hasFineSplit ? watcher.GetSummaryCpuUsage().TotalNanoseconds : total;
        total.Should().BeGreaterThanOrEqualTo(burnt.Nanoseconds - burnt.Tolerance);
        split.Should().BeGreaterThanOrEqualTo(burnt.Nanoseconds - burnt.Tolerance);
        long most = burnt.Nanoseconds + burnt.Tolerance;
        if (orElseFail)
        {
            total.Should().BeLessThanOrEqualTo(most);
            split.Should().BeLessThanOrEqualTo(most);
        }

        return Math.Max(total, split) <= most;
    }
}
