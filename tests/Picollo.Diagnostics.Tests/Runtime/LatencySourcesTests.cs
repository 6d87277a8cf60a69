using System.Diagnostics;
using Picollo.Cpu;
using Picollo.Diagnostics.Runtime;

namespace Picollo.Diagnostics.Tests.Runtime;

/// <summary>Tests the states of flows that have a source only while a meter runs.</summary>
[Trait("Category", "Slow")]
public class LatencySourcesTests
{
    private static readonly TimeSpan Wait = TimeSpan.FromMilliseconds(30);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    [FactNeeding(Need.Linux)]
    public async Task States_have_a_source_while_a_meter_runs()
    {
        using (RuntimeMeter.Start())
        {
            LatencyBreakdown breakdown = await Task.Run(() => MeasureAsync(() => Task.Delay(1)));

            Enum.GetValues<LatencyState>().Should().OnlyContain(state => breakdown[state] != null);
            breakdown.IsEstimated(LatencyState.PoolQueue).Should().BeTrue();
        }
    }

    [Fact]
    public async Task A_wait_for_a_lock_is_added_to_the_flow_that_waited_and_to_no_other()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        using CpuUsageAsyncWatcher sleeping = await Task.Run(() => RunAsync(() => Thread.Sleep(Wait)));
        using CpuUsageAsyncWatcher waiting = await Task.Run(() => RunAsync(() => HeldLock.WaitFor(Wait)));

        SpinWait.SpinUntil(() => LockOf(waiting) > 0, Limit);
        LockOf(waiting).Should().BeGreaterThanOrEqualTo((long)Wait.TotalNanoseconds / 2);
        LockOf(sleeping).Should().Be(0);
        waiting.GetLatencyBreakdown().WallNanoseconds.Should().Be(waiting.WallNanoseconds);
    }

    [Fact]
    public async Task A_wait_for_a_lock_is_added_while_the_segment_still_runs()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        await Task.Run(() =>
        {
            using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
            HeldLock.WaitFor(Wait);
            SpinWait.SpinUntil(() => LockOf(watcher) > 0, Limit);

            LockOf(watcher).Should().BePositive();
        });
    }

    [Fact]
    public async Task A_wait_for_a_lock_counts_for_a_watcher_that_stops_before_an_inner_one()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        CpuUsageAsyncWatcher outer = await Task.Run(() =>
        {
            var outer = new CpuUsageAsyncWatcher(measureLatency: true);
            using var inner = new CpuUsageAsyncWatcher();
            HeldLock.WaitFor(Wait);
            outer.Stop();
            return outer;
        });

        SpinWait.SpinUntil(() => LockOf(outer) > 0, Limit);
        LockOf(outer).Should().BePositive();
    }

    [Fact]
    public async Task A_wait_for_a_lock_is_added_after_its_thread_has_ended()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        bool isAdded = false;
        for (int i = 0; i < 30 && !isAdded; i++) // the segment is lost if another test starts a thread in a flow before the event
        {
            using CpuUsageAsyncWatcher watcher = await Task.Run(() => RunAsync(() => NewThread.Run(() => HeldLock.WaitFor(Wait))));
            isAdded = SpinWait.SpinUntil(() => LockOf(watcher) > 0, TimeSpan.FromSeconds(1));
        }

        isAdded.Should().BeTrue();
    }

    [Fact]
    public void A_short_wait_for_a_lock_is_added_to_the_segment_that_contains_it() => NewThread.Run(() =>
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        (CpuUsageAsyncWatcher first, CpuUsageAsyncWatcher second) = (NewWatcher(), NewWatcher());
        long start = Stopwatch.GetTimestamp(), microsecond = Stopwatch.Frequency / 1_000_000;
        var thread = new ThreadSegment(Thread.CurrentThread, CpuTimes.Current);
        Change(thread, first, At(0));
        Change(thread, second, At(300));
        Thread.Sleep(1);
        thread.AddLockWait(At(320).Timestamp, At(480).Timestamp, 160_000).Should().BeTrue("the segment still runs");
        (LockOf(first) > 0, LockOf(second) > 0).Should().Be((false, true));
        thread.AddLockWait(At(-2000).Timestamp, At(-1000).Timestamp, 1).Should().BeFalse("it waited before it ran the flows");
        Change(thread, null, At(600));
        thread.AddLockWait(At(100).Timestamp, At(150).Timestamp, 50_000).Should().BeTrue();
        thread.AddLockWait(At(-2000).Timestamp, At(-1000).Timestamp, 1).Should().BeFalse();

        (LockOf(first) > 0, LockOf(second) > 0).Should().Be((true, true));

        FlowMoment At(long microseconds) => new(start + (microseconds * microsecond));
    }, flow: false);

    [Fact]
    public void A_wait_for_a_lock_during_a_collection_is_added() => NewThread.Run(() =>
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        CpuUsageAsyncWatcher watcher = NewWatcher();
        long start = Stopwatch.GetTimestamp(), millisecond = Stopwatch.Frequency / 1000;
        var thread = new ThreadSegment(Thread.CurrentThread, CpuTimes.Current);
        Change(thread, watcher, new FlowMoment(start));
        Change(thread, null, new FlowMoment(start + millisecond, CollectionNanoseconds: 1_000_000));
        Thread.Sleep(2);
        thread.AddLockWait(start, start + millisecond, 900_000);

        LockOf(watcher).Should().BePositive();
    }, flow: false);

    [Fact]
    public Task The_end_of_a_suspension_is_not_a_wait_for_a_thread_of_the_pool() => Task.Run(() =>
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
        using (CpuUsageAsyncWatcher.Suspend())
        {
            Thread.Sleep(Wait);
            LatencySources.PoolDelay = long.MaxValue;
        }

        watcher.Stop();
        watcher.GetLatencyBreakdown()[LatencyState.PoolQueue].Should().Be(TimeSpan.Zero);
    });

    [Fact]
    public async Task A_wait_for_a_lock_is_added_to_all_watchers_of_the_flow()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        (CpuUsageAsyncWatcher outer, CpuUsageAsyncWatcher inner) = await Task.Run(() =>
        {
            CpuUsageAsyncWatcher outer = new(measureLatency: true), inner = new(measureLatency: true);
            HeldLock.WaitFor(Wait);
            inner.Stop();
            outer.Stop();
            return (outer, inner);
        });

        SpinWait.SpinUntil(() => LockOf(outer) > 0 && LockOf(inner) > 0, Limit);
        (LockOf(outer) > 0, LockOf(inner) > 0).Should().Be((true, true));
    }

    /// <summary>The runtime reports the start of such a wait, but not its end.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_wait_for_a_lock_that_is_interrupted_is_blocked_time_and_later_waits_are_added(bool isMonitor) => NewThread.Run(() =>
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        object gate = new();
        Lock managed = new();
        Action acquire = isMonitor ? () => Monitor.Enter(gate) : managed.Enter;
        Thread waiter = Thread.CurrentThread;
        using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
        HeldLock.WaitFor(Wait, acquire, waiter.Interrupt, () => Record.Exception(acquire).Should().BeOfType<ThreadInterruptedException>());
        HeldLock.WaitFor(Wait);
        watcher.Stop();

        SpinWait.SpinUntil(() => LockOf(watcher) > 0, Limit);
        LatencyBreakdown breakdown = watcher.GetLatencyBreakdown();
        breakdown[LatencyState.Lock].Should().BeGreaterThan(Wait / 2);
        breakdown[LatencyState.Blocked].Should().BeGreaterThan(Wait / 2);
        breakdown.WallNanoseconds.Should().Be(watcher.WallNanoseconds);
    });

    [FactNeeding(Need.Linux)]
    public void More_threads_than_processors_wait_in_the_run_queue()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        long queued = 0;
        int threads = (2 * Environment.ProcessorCount) + 1;
        using Barrier start = new(threads);
        NewThread.RunAll(threads, _ =>
        {
            using CpuUsageAsyncWatcher watcher = new(measureLatency: true);
            start.SignalAndWait();
            while (watcher.GetTotalNanoseconds() < Wait.TotalNanoseconds)
            {
            }

            watcher.Stop();
            Interlocked.Add(ref queued, watcher.GetLatencyBreakdown().GetNanoseconds(LatencyState.RunQueue)!.Value);
        });

        queued.Should().BePositive();
    }

    [FactNeeding(Need.Linux)]
    public void Threads_that_have_ended_keep_no_file_open()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        int before = OpenRunQueues();
        for (int i = 0; i < 300; i++)
        {
            NewThread.Run(() => RunAsync(() => Thread.Sleep(1)));
        }

        OpenRunQueues().Should().BeLessThan(before + 150, "other tests have some threads, too");

        static int OpenRunQueues() => new DirectoryInfo("/proc/self/fd").EnumerateFileSystemInfos()
            .Count(file => file.LinkTarget?.EndsWith("/schedstat", StringComparison.Ordinal) == true);
    }

    [Fact]
    public void The_clock_of_a_session_converts_the_times_of_events()
    {
        SessionClock clock = SessionClock.Now();

        clock.ToTimestamp(clock.Time).Should().Be(clock.Timestamp);
        clock.ToTimestamp(clock.Time.AddSeconds(2)).Should().Be(clock.Timestamp + (2 * Stopwatch.Frequency));
        clock.ToTimestamp(clock.Time.AddSeconds(-2)).Should().Be(clock.Timestamp - (2 * Stopwatch.Frequency));
        clock.Timestamp.Should().BeLessThanOrEqualTo(Stopwatch.GetTimestamp());
    }

    private static long LockOf(CpuUsageAsyncWatcher watcher) => watcher.GetLatencyBreakdown().GetNanoseconds(LatencyState.Lock)!.Value;

    private static CpuUsageAsyncWatcher NewWatcher() => NewThread.Run(
        () => new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly, measureLatency: true), flow: false);

    private static void Change(ThreadSegment thread, CpuUsageAsyncWatcher? innermost, FlowMoment moment) =>
        thread.Change(innermost, default, byThreadSwitch: true, moment, FlowReadings.Total | FlowReadings.Latency);

    private static Task<CpuUsageAsyncWatcher> RunAsync(Action work)
    {
        var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
        work();
        watcher.Stop();
        return Task.FromResult(watcher);
    }

    private static async Task<LatencyBreakdown> MeasureAsync(Func<Task> work)
    {
        using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
        await work();
        watcher.Stop();
        return watcher.GetLatencyBreakdown();
    }
}
