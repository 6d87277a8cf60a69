using Picollo.Cpu;

namespace Picollo.Tests.Cpu.Latency;

/// <summary>Tests <see cref="CpuUsageAsyncWatcher.GetLatencyBreakdown"/> with real flows. Only least times are known on a busy
/// machine.</summary>
[Trait("Category", "Slow")]
public class LatencyBreakdownTests
{
    private static readonly TimeSpan Wait = TimeSpan.FromMilliseconds(30);

    [Fact]
    public async Task Each_kind_of_work_is_in_its_state()
    {
        await ShouldBeIn(LatencyState.Cpu, Wait, () => { Burn.User(Wait); return Task.CompletedTask; });
        await ShouldBeIn(LatencyState.Blocked, Wait / 2, () => { Thread.Sleep(Wait); return Task.CompletedTask; });
        await ShouldBeIn(LatencyState.Await, Wait / 2, () => Task.Delay(Wait));

        // Several attempts, because on a busy machine, a thread can lose its CPU before it waits or leaves the flow.
        static async Task ShouldBeIn(LatencyState state, TimeSpan least, Func<Task> work)
        {
            LatencyBreakdown breakdown = default;
            for (int i = 0; i < 50 && !(breakdown[state] >= least); i++)
            {
                breakdown = await MeasureAsync(work);
            }

            breakdown[state].Should().BeGreaterThanOrEqualTo(least);
        }
    }

    [FactNeeding(Need.Linux)]
    public Task The_wall_time_of_a_segment_contains_its_CPU_time() => Task.Run(() =>
    {
        for (int i = 0; i < 10_000; i++)
        {
            using var watcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly, measureLatency: true);
            SegmentLatency segment = ThreadSegment.OfThread!.MeasureLatency()!.Value;

            segment.CpuNanoseconds.Should().BeLessThanOrEqualTo(FlowMoment.ToNanoseconds(segment.WallTicks), "the clock of the wall time is read first and last");
        }
    });

    [Fact]
    public async Task User_and_kernel_time_are_parts_of_the_CPU_time()
    {
        LatencyBreakdown breakdown = await MeasureAsync(() => { Burn.User(Wait); Burn.Kernel(Wait); return Task.CompletedTask; });

        breakdown[LatencyState.CpuUser].Should().BeGreaterThan(TimeSpan.Zero);
        breakdown[LatencyState.CpuKernel].Should().BeGreaterThan(TimeSpan.Zero);
        (breakdown.GetNanoseconds(LatencyState.CpuUser) + breakdown.GetNanoseconds(LatencyState.CpuKernel))
            .Should().Be(breakdown.GetNanoseconds(LatencyState.Cpu));

        using var total = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly, measureLatency: true);
        total.GetLatencyBreakdown()[LatencyState.CpuKernel].Should().BeNull();
    }

    [Fact]
    public async Task States_without_a_source_are_absent()
    {
        LatencyBreakdown breakdown = await MeasureAsync(() => Task.Delay(1));

        foreach (LatencyState absent in (LatencyState[])[LatencyState.RunQueue, LatencyState.Lock, LatencyState.PoolQueue])
        {
            breakdown[absent].Should().BeNull();
        }

        breakdown[LatencyState.GarbageCollection].Should().NotBeNull();
        default(LatencyBreakdown)[LatencyState.Cpu].Should().BeNull();
        breakdown.Invoking(it => it[(LatencyState)99]).Should().Throw<ArgumentOutOfRangeException>();
    }

    [Fact]
    public Task The_states_add_up_to_the_wall_time_while_threads_come_and_go() => Task.Run(async () =>
    {
        using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
        Task[] children = [.. Enumerable.Range(0, 4).Select(child => Task.Run(async () =>
        {
            for (int i = 0; i < 50; i++)
            {
                using var inner = new CpuUsageAsyncWatcher(measureLatency: i % 2 == 0);
                await Task.Yield();
                Thread.SpinWait(1000 * child);
            }
        }))];
        while (children.Any(child => !child.IsCompleted))
        {
            long before = watcher.WallNanoseconds;
            LatencyBreakdown now = watcher.GetLatencyBreakdown();
            now.WallNanoseconds.Should().BeInRange(before, watcher.WallNanoseconds);
            await Task.Delay(1);
        }

        watcher.Stop();
        watcher.GetLatencyBreakdown().WallNanoseconds.Should().Be(watcher.WallNanoseconds);
        watcher.GetLatencyBreakdown().GetNanoseconds(LatencyState.Cpu)
            .Should().BeLessThanOrEqualTo(watcher.GetTotalNanoseconds() + 40_000, "it also has the start and the stop of the watcher");
        watcher.GetLatencyBreakdown().Should().Be(watcher.GetLatencyBreakdown());
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void After_the_end_of_a_thread_that_was_started_without_a_context_no_thread_runs_the_flow(bool isStopped)
    {
        using CpuUsageAsyncWatcher watcher = NewThread.Run(() => new CpuUsageAsyncWatcher(measureLatency: true), flow: false);
        Thread.Sleep(Wait);
        if (isStopped)
        {
            watcher.Stop();
        }

        watcher.GetLatencyBreakdown()[LatencyState.Await].Should().BeGreaterThanOrEqualTo(Wait);
    }

    [Fact]
    public async Task Suspended_code_does_not_run_the_flow()
    {
        LatencyBreakdown breakdown = await MeasureAsync(() =>
        {
            using (CpuUsageAsyncWatcher.Suspend())
            {
                Burn.User(Wait);
            }

            return Task.CompletedTask;
        });

        breakdown[LatencyState.Await].Should().BeGreaterThanOrEqualTo(Wait);
    }

    [Fact]
    public Task The_last_segment_of_a_watcher_that_stops_before_an_inner_one_is_divided() => Task.Run(() =>
    {
        var outer = new CpuUsageAsyncWatcher(measureLatency: true);
        using var inner = new CpuUsageAsyncWatcher();
        WaitForCollections();
        outer.Stop();

        outer.GetLatencyBreakdown()[LatencyState.GarbageCollection].Should().BeGreaterThan(TimeSpan.Zero);
    });

    [Fact]
    public Task The_running_segment_of_a_watcher_that_was_created_while_suspended_is_divided() => Task.Run(() =>
    {
        using var outer = new CpuUsageAsyncWatcher();
        CpuUsageAsyncWatcher created;
        using (CpuUsageAsyncWatcher.Suspend())
        {
            created = new CpuUsageAsyncWatcher(measureLatency: true);
        }

        WaitForCollections();
        created.GetLatencyBreakdown()[LatencyState.GarbageCollection].Should().BeGreaterThan(TimeSpan.Zero);
        created.Stop();
        created.GetLatencyBreakdown()[LatencyState.GarbageCollection].Should().BeGreaterThan(TimeSpan.Zero);
    });

    [Fact]
    public async Task A_list_of_switches_can_be_kept_at_the_same_time()
    {
        using var watcher = new CpuUsageAsyncWatcher(listSwitches: true, measureLatency: true);
        do // on a busy machine, a delay can be over before its thread has left the flow
        {
            await Task.Delay(Wait);
        }
        while (watcher.GetLatencyBreakdown()[LatencyState.Await] < Wait / 2);

        watcher.Stop();
        watcher.Totals.Should().NotBeEmpty();
        watcher.GetLatencyBreakdown()[LatencyState.Await].Should().BeGreaterThanOrEqualTo(Wait / 2);
    }

    [Fact]
    public void A_watcher_that_waits_for_allocated_bytes_keeps_its_states()
    {
        FlowLatency latency = new(0, LatencyStates.Await);

        new FlowLinks(label: null, latency: latency).WithoutOpen!.Latency.Should().BeSameAs(latency);
    }

    [Fact]
    public void A_watcher_without_the_option_does_not_measure_it()
    {
        using var watcher = new CpuUsageAsyncWatcher();

        watcher.Invoking(it => it.GetLatencyBreakdown()).Should().Throw<InvalidOperationException>().WithMessage("*measureLatency*");
    }

    // The thread waits, and another one collects.
    private static void WaitForCollections() => NewThread.Run(() =>
    {
        for (int i = 0; i < 5; i++)
        {
            GC.Collect();
        }
    }, flow: false);

    private static Task<LatencyBreakdown> MeasureAsync(Func<Task> work) => Task.Run(async () =>
    {
        using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
        await work();
        watcher.Stop();
        return watcher.GetLatencyBreakdown();
    });
}
