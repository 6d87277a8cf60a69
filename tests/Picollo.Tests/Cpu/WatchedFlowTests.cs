using Picollo.Cpu;
using Picollo.Tests.PerfEvent;

namespace Picollo.Tests.Cpu;

/// <summary>
/// Tests a query while threads change their segments, step by step. The clock of the other thread runs a script, which makes the change
/// between the reader's check of the segment and its read of the sums.
/// </summary>
public sealed class WatchedFlowTests
{
    private readonly CpuUsageAsyncWatcher _watcher = NewWatcherWithoutThreads(CpuUsageDetail.TotalOnly);

    [Fact]
    public void A_running_segment_is_measured_in_addition_to_the_sums()
    {
        _watcher.Add(At(1_000), byThreadSwitch: false);
        ThreadSegment thread = Started(at: 100, new ScriptedThreadClock(() => 130));

        Query(thread).Should().Be(1_000 + 30);
    }

    [Fact]
    public void A_segment_that_ends_while_it_is_measured_counts_once()
    {
        ThreadSegment thread = null!;
        thread = Started(at: 100, new ScriptedThreadClock(() =>
        {
            thread.Change(null, At(150), byThreadSwitch: true);
            return 157;
        }));

        Query(thread).Should().Be(50);
    }

    [Fact]
    public void Segments_that_start_after_the_query_are_ignored()
    {
        long now = 100;
        ThreadSegment thread = null!;
        var clock = new ScriptedThreadClock(() =>
        {
            now.Should().Be(100, "otherwise a thread that changes at each check would be checked forever");
            thread.Change(_watcher, At(now = 150), byThreadSwitch: true);
            return now += 7;
        });
        thread = Started(at: 100, clock);

        Query(thread).Should().Be(50);
        clock.Readings.Should().Be(1);
    }

    [Fact]
    public void A_segment_that_ends_while_another_thread_is_measured_counts_once()
    {
        var clock = new ScriptedThreadClock(() => 120);
        ThreadSegment first = Started(at: 100, clock);
        ThreadSegment second = Started(at: 200, new ScriptedThreadClock(() =>
        {
            clock.Readings.Should().Be(1, "its current segment is younger than the query");
            first.Change(_watcher, At(150), byThreadSwitch: true);
            return 203;
        }));

        Query(first, second).Should().Be(50 + 3);
    }

    [Fact]
    public void A_query_waits_for_a_change_in_progress()
    {
        ThreadSegment thread = Started(at: 100, new ScriptedThreadClock(() => 160));
        thread.BeginChange();

        // The change leaves the segment unchanged, so that without the wait exactly the added time would be missing.
        QueryUntilItWaits(thread, () =>
        {
            _watcher.Add(At(50), byThreadSwitch: true);
            thread.EndChange();
        }).Should().Be(60 + 50);
    }

    [Fact]
    public void A_query_waits_for_a_change_that_started_during_its_measurement()
    {
        bool isMeasuring = false, isChanging = false;
        ThreadSegment thread = Started(at: 100, new ScriptedThreadClock(() =>
        {
            Volatile.Write(ref isMeasuring, true);
            YieldUntil(() => Volatile.Read(ref isChanging));
            return 140;
        }));

        QueryUntilItWaits(
            thread,
            () =>
            {
                _watcher.Add(At(50), byThreadSwitch: true);
                thread.EndChange();
            },
            beginChange: () =>
            {
                YieldUntil(() => Volatile.Read(ref isMeasuring));
                thread.BeginChange();
                Volatile.Write(ref isChanging, true);
            }).Should().Be(50);
    }

    /// <summary>The owner reads the clock before it changes the segment, and a reader may run in between.</summary>
    [Fact]
    public void A_segment_does_not_end_before_its_last_measurement()
    {
        long before = _watcher.SwitchCount;
        long now = 140;
        var clock = new ScriptedThreadClock(() => now);
        ThreadSegment thread = Started(at: 100, clock);
        Query(thread).Should().Be(40);
        thread.Change(_watcher, At(130), byThreadSwitch: true);

        Query(thread).Should().Be(40, "the next segment starts where that one ended");
        now = 145;
        Query(thread).Should().Be(45);
        thread.Change(null, At(160), byThreadSwitch: true);
        Query(thread).Should().Be(60);
        _watcher.SwitchCount.Should().Be(before + 2);
    }

    [Fact]
    public void A_late_reader_does_not_decrease_the_total()
    {
        long now = 140;
        var clock = new ScriptedThreadClock(() => now);
        ThreadSegment thread = Started(at: 100, clock);
        Query(thread).Should().Be(40);
        now = 120;
        Query(thread);
        thread.Change(null, At(130), byThreadSwitch: true);

        Query(thread).Should().Be(40);
    }

    [Fact]
    public void A_segment_whose_clock_cannot_be_read_any_more_keeps_its_measured_time()
    {
        long? now = 140;
        ThreadSegment thread = Started(at: 100, new ScriptedThreadClock(() => now));
        Query(thread).Should().Be(40);
        now = null;

        Query(thread).Should().Be(40);
    }

    [Fact]
    public void A_query_during_a_stop_returns_the_final_result()
    {
        ThreadSegment thread = null!;
        thread = Started(at: 100, new ScriptedThreadClock(() =>
        {
            _watcher.Add(At(1_000), byThreadSwitch: false);
            _watcher.Stop();
            _watcher.Add(At(7), byThreadSwitch: false);
            thread.Drop();
            return 130;
        }));

        Query(thread).Should().Be(1_000);
    }

    /// <summary>The system may have given the ID of an ended thread to another thread, whose clock would be read.</summary>
    [Fact]
    public void A_thread_that_has_ended_is_not_measured()
    {
        var clock = new ScriptedThreadClock(() => 130);
        ThreadSegment thread = NewThread.Run(() => Started(at: 100, clock), flow: false);

        Query(thread).Should().Be(0);
        clock.Readings.Should().Be(0);
    }

    [Fact]
    public void A_reader_waits_for_another_one_that_ends_the_segment_of_an_ended_thread()
    {
        ThreadSegment thread = NewThread.Run(
            () =>
            {
                ThreadSegment changed = Started(at: 100, new ScriptedThreadClock(() => 130));
                changed.BeginChange(); // as the other reader does
                return changed;
            },
            flow: false);
        bool isEnded = false, sawEnd = false;

        ReadUntilItWaits(
            () =>
            {
                thread.EndWithOwner();
                sawEnd = isEnded;
            },
            () =>
            {
                isEnded = true;
                thread.EndChange();
            });

        sawEnd.Should().BeTrue();
    }

    [Fact]
    public void The_kernel_time_of_another_thread_is_within_its_total()
    {
        CpuUsageAsyncWatcher watcher = NewWatcherWithoutThreads(CpuUsageDetail.UserAndKernel);
        long kernel = 0;
        var thread = new ThreadSegment(Thread.CurrentThread, new ScriptedThreadClock(() => 130, () => new CpuUsage(1_000, kernel)));
        thread.Change(watcher, new CpuSegment(100, new CpuUsage(60, 40)), byThreadSwitch: false);

        foreach ((long read, long expected) in new[] { (10L, 0L), (50, 10), (90, 30) })
        {
            kernel = read;
            WatchedFlow.GetCpuTime(watcher, [thread], out _).Should().Be(new CpuSegment(30, new CpuUsage(30 - expected, expected)));
        }
    }

    /// <summary>Creates a watcher whose flow contains no thread, so that its sums contain only the values of the test: the runtime does not
    /// report the end of a thread that was started without a context. Its segment is added when another thread enters a flow, which is done
    /// here, because it counts as a switch.</summary>
    private static CpuUsageAsyncWatcher NewWatcherWithoutThreads(CpuUsageDetail detail)
    {
        CpuUsageAsyncWatcher watcher = NewThread.Run(() => new CpuUsageAsyncWatcher(detail), flow: false);
        NewThread.Run(static () => new CpuUsageAsyncWatcher().Stop(), flow: false);
        return watcher;
    }

    private static CpuSegment At(long nanoseconds) => new(nanoseconds, default);

    private ThreadSegment Started(long at, ScriptedThreadClock clock)
    {
        var thread = new ThreadSegment(Thread.CurrentThread, clock);
        thread.Change(_watcher, At(at), byThreadSwitch: false);
        return thread;
    }

    private long Query(params ThreadSegment[] threads) => WatchedFlow.GetCpuTime(_watcher, threads, out _).TotalNanoseconds;

    private long QueryUntilItWaits(ThreadSegment thread, Action endChange, Action? beginChange = null)
    {
        long taken = 0;
        ReadUntilItWaits(() => taken = Query(thread), endChange, beginChange);
        return taken;
    }

    /// <summary>Reads on a separate thread, and ends the change when that thread waits or already has its result. A thread that spins for a
    /// long time sometimes sleeps (<see cref="SpinWait"/>).</summary>
    private static void ReadUntilItWaits(Action read, Action endChange, Action? beginChange = null)
    {
        var reader = new Thread(() => read());
        reader.UnsafeStart();
        beginChange?.Invoke();
        YieldUntil(() => (reader.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0);
        endChange();
        reader.Join();
    }

    // Does not wait, which would look like the wait of the reader.
    private static void YieldUntil(Func<bool> condition)
    {
        while (!condition())
        {
            Thread.Yield();
        }
    }
}
