using System.Diagnostics;
using Picollo.Cpu;
using Picollo.Profiling.Events;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Tests.Events;
using Picollo.Profiling.Waits;
using static Picollo.Profiling.Waits.WaitEventKind;

namespace Picollo.Profiling.Tests.Waits;

/// <summary>Waits and flows with known times are joined exactly.</summary>
public sealed class WaitCollectorTests : IDisposable
{
    private const int Thread = 101, Other = 102;
    private const int None = WaitSum.NoStack;

    private static readonly FlowLabel A = new("GET", "/a"), B = new("GET", "/b");

    private readonly FlowRecorder _recorder = FlowRecorder.Start();
    private readonly FlowTimeline _timeline;
    private readonly WaitCollector _waits;
    private readonly FlowLog _log;
    private readonly FlowLog _otherLog;

    public WaitCollectorTests()
    {
        _timeline = new FlowTimeline(_recorder);
        _waits = new WaitCollector(_timeline);
        _timeline.Add(_log = new FlowLog(_recorder, Thread, 1, before: null));
        _timeline.Add(_otherLog = new FlowLog(_recorder, Other, 1, before: null));
    }

    public void Dispose() => _recorder.Dispose();

    [Fact]
    public void A_wait_belongs_to_the_flow_of_its_thread_in_any_order_of_the_events()
    {
        _log.Add(10, WatcherOf(A));
        _log.Add(100, WatcherOf(B));
        _otherLog.Add(10, WatcherOf(B));
        _waits.MoveTo(Stopwatch.Frequency, 0); // the other source is late

        Add(Other, (20, Start, 7), (50, End, 0));
        Add(Thread, (5, Start, 6), (8, End, 0), (30, Start, 7), (40, End, 0), (50, Start, 7), (70, End, 0), (110, Start, 8), (115, End, 0));
        _waits.Complete(200);

        ShouldBe(A, (7, new(2, 30, 20)));
        ShouldBe(B, (7, new(1, 30, 30)), (8, new(1, 5, 5)));
        ShouldBe(FlowLabel.None, (None, new(1, 3, 3)));
    }

    [Fact]
    public void A_wait_belongs_to_the_innermost_flow_with_a_label()
    {
        CpuUsageAsyncWatcher work = new() { Label = B, Outer = WatcherOf(A) };
        _log.Add(10, new CpuUsageAsyncWatcher { Outer = work });
        Add(Thread, (20, Start, 7), (30, End, 0));
        _waits.Complete(200);

        ShouldBe(B, (7, new(1, 10, 10)));
        _waits.Labels.Should().ContainSingle();
    }

    [Fact]
    public void The_wait_within_a_lock_counts_once_and_the_lock_after_a_wait_is_a_part_of_it()
    {
        _log.Add(1, WatcherOf(A));
        Add(Thread, (10, LockStart, 7), (12, Start, 8), (19, End, 0), (20, LockEnd, 0));
        Add(Thread, (30, Start, 9), (40, End, 0), (41, LockStart, 9), (44, LockEnd, 0));
        Add(Thread, (50, End, 0), (51, LockEnd, 0)); // began before
        _waits.Complete(200);

        ShouldBe(A, (7, new(1, 10, 10)), (9, new(1, 13, 10)));
    }

    [Fact]
    public void A_lock_that_was_not_entered_has_no_end_and_later_waits_count()
    {
        _log.Add(1, WatcherOf(A));
        _log.Add(45, WatcherOf(B));
        _otherLog.Add(1, WatcherOf(B));
        Add(Thread, (10, LockStart, 7), (12, Start, 8), (19, End, 0), (20, Start, 8), (30, End, 0)); // has timed out
        Add(Thread, (50, Start, 9), (60, End, 0), (70, LockStart, 7), (71, Start, 8), (75, End, 0), (80, Dequeued, 1));
        Add(Other, (10, LockStart, 6), (12, Start, 8), (20, Start, 9), (25, End, 0)); // was interrupted
        Add(Other, (30, LockStart, 5), (31, Start, 8), (35, End, 0), (40, LockStart, 5), (41, Start, 8), (48, End, 0));
        Add(Other, (60, Start, 4), (90, LockStart, 5), (91, Start, 8), (95, End, 0), (96, LockEnd, 0)); // the first was interrupted
        _waits.Complete(200);

        ShouldBe(A, (7, new(1, 20, 20)));
        ShouldBe(B, (9, new(2, 15, 10)), (7, new(1, 5, 5)), (5, new(3, 19, 8)));
    }

    [Fact]
    public void A_wait_that_has_not_ended_counts_until_the_end()
    {
        _log.Add(1, WatcherOf(A));
        _otherLog.Add(1, WatcherOf(B));
        Add(Thread, (10, LockStart, 8), (12, Start, 9), (19, End, 0), (20, LockEnd, 0), (50, Start, 7));
        Add(Other, (60, LockStart, 8), (61, Start, 9));
        _waits.Complete(200);

        ShouldBe(A, (8, new(1, 10, 10)), (7, new(1, 150, 150)));
        ShouldBe(B, (8, new(1, 140, 140)));
    }

    [Fact]
    public void A_wait_that_has_not_ended_before_its_thread_runs_another_flow_was_interrupted()
    {
        _log.Add(1, WatcherOf(A));
        _otherLog.Add(1, WatcherOf(B));
        Add(Thread, (50, Start, 7));
        Add(Other, (60, LockStart, 8), (61, Start, 9));
        _log.Add(70, WatcherOf(A));
        _otherLog.Add(80, WatcherOf(B));
        _waits.Complete(200);

        _waits.Labels.Should().BeEmpty();
    }

    [Fact]
    public void The_time_in_the_queue_belongs_to_the_first_flow_that_the_thread_enters()
    {
        CpuUsageAsyncWatcher request = WatcherOf(A);
        Add(Thread, (20, Dequeued, 1), (40, Dequeued, 2), (60, Dequeued, 3), (90, Dequeued, 99), (95, Dequeued, 1), (96, Dequeued, 99));
        Add(Other, (11, Queued, 1), (25, Queued, 2), (50, Queued, 3));
        _log.Add(22, request); // starts
        _log.Add(28, null);
        _log.Add(41, null);
        _log.Add(42, request); // continues
        _log.Add(43, null);
        _log.Add(44, WatcherOf(B)); // not from the queue
        _log.Add(45, null);
        _waits.Complete(200);

        ShouldBe(A, (WaitSum.InQueueBefore, new(1, 9, 9)), (WaitSum.InQueue, new(1, 15, 15)));
        ShouldBe(FlowLabel.None, (WaitSum.InQueue, new(1, 10, 10)));
        _waits.Labels.Should().NotContainKey(B);
    }

    [Fact]
    public void The_first_continuation_of_a_flow_from_before_the_measurement_is_not_its_start()
    {
        CpuUsageAsyncWatcher request = WatcherOf(A);
        long time = Stopwatch.GetTimestamp() + Stopwatch.Frequency;
        Add(Other, (time, Queued, 1));
        Add(Thread, (time + 9, Dequeued, 1));
        _log.Add(time + 10, request);
        _waits.Complete(time + 20);

        ShouldBe(A, (WaitSum.InQueue, new(1, 9, 9)));
    }

    [Fact]
    public void Events_after_the_end_do_not_change_the_waits_that_have_not_ended()
    {
        long late = Stopwatch.Frequency;
        _log.Add(1, WatcherOf(A));
        _otherLog.Add(1, WatcherOf(B));
        Add(Thread, (50, Start, 7));
        Add(Other, (60, LockStart, 8));
        Add(Other, (late - 10, LockEnd, 8), (late - 5, Start, 9));
        _waits.MoveTo(late, 0);
        _waits.MoveTo(late, 1);
        _waits.Complete(200);

        ShouldBe(A, (7, new(1, late - 50, late - 50)));
        ShouldBe(B, (8, new(1, late - 70, late - 70)), (9, new(1, 5, 5)));
        _waits.UnknownCount.Should().Be(0);
    }

    [Fact]
    public void The_waits_of_a_flow_that_has_ended_are_added_to_its_label()
    {
        CpuUsageAsyncWatcher request = WatcherOf(A);
        _log.Add(10, request);
        Add(Thread, (20, Start, 7), (30, End, 0));
        foreach (int seconds in (int[])[0, 2])
        {
            long time = Stopwatch.GetTimestamp() + (seconds * Stopwatch.Frequency);
            request.Stop();
            _waits.MoveTo(time, 0);
            _waits.MoveTo(time, 1);
        }

        ShouldBe(A, (7, new(1, 10, 10)));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void The_waits_of_flows_that_have_ended_do_not_count_toward_the_limit_of_stacks()
    {
        const int Stacks = 40_000;
        int source = 0;
        foreach (long start in (long[])[Stopwatch.GetTimestamp(), Stopwatch.GetTimestamp() + (5 * Stopwatch.Frequency)])
        {
            CpuUsageAsyncWatcher request = WatcherOf(A);
            _log.Add(start, request);
            Add(Thread, [.. Enumerable.Range(0, Stacks).SelectMany(node => ((long, WaitEventKind, long)[])
                [(start + (2 * node) + 1, Start, node), (start + (2 * node) + 2, End, 0)])]);
            request.Stop();
            Array.ForEach([2, 2, 4, 4], seconds => _waits.MoveTo(start + (seconds * Stopwatch.Frequency), source++ % 2));
        }

        _waits.Complete(0); // a flow that was not yet noticed, because the machine is busy
        _waits.UnknownCount.Should().Be(0);
        _waits.Labels[A].Values.Should().HaveCount(Stacks).And.OnlyContain(sum => sum.Count == 2);
    }

    [Fact]
    public void A_wait_that_is_reported_too_late_belongs_to_no_flow()
    {
        _log.Add(1, WatcherOf(A));
        _waits.MoveTo(Stopwatch.Frequency, 0);
        _waits.MoveTo(Stopwatch.Frequency, 1);
        Add(Thread, (50, Start, 7), (60, End, 0));
        _waits.Complete(2 * Stopwatch.Frequency);

        ShouldBe(FlowLabel.None, (None, new(1, 10, 10)));
        _waits.UnknownCount.Should().Be(1);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void The_number_of_events_that_are_kept_is_limited()
    {
        for (int i = 0; i <= 500_000; i++)
        {
            Add(Other, (1000 + i, Queued, 1));
        }

        Add(Thread, (50, Start, 7), (60, End, 0));
        _waits.Complete(2_000_000);

        _waits.UnknownCount.Should().Be(1, "later events were handled already");
    }

    [Fact]
    public void A_start_and_an_end_between_which_events_were_lost_are_not_a_wait()
    {
        const string Runtime = "Microsoft-Windows-DotNETRuntime";
        MemoryStream stream = new(new NettraceStream().Describe(1, Runtime, 301).Describe(2, Runtime, 302).Stacks(1, [0x10])
            .Events(
                new(1, 1, Thread, 1, 10, []), new(2, 4, Thread, 1, 40, []), // two events are missing
                new(1, 5, Thread, 1, 50, []), new(2, 6, Thread, 1, 53, []))
            .ToArray());
        NettraceReader reader = new(stream.Read);
        _log.Add(1, WatcherOf(A));
        while (reader.MoveNext())
        {
            _waits.Add(reader, 0);
        }

        _waits.Complete(200);

        ShouldBe(A, (0, new(1, 3, 3)));
    }

    private static CpuUsageAsyncWatcher WatcherOf(FlowLabel label) => new() { Label = label, Outer = null };

    private void Add(int thread, params (long Time, WaitEventKind Kind, long Id)[] events) =>
        Array.ForEach(events, each => _waits.Add(new WaitEvent(each.Time, thread, each.Kind, each.Id)));

    private void ShouldBe(FlowLabel label, params (int Node, WaitSum Sum)[] expected) =>
        _waits.Labels[label].Should().BeEquivalentTo(expected.ToDictionary(pair => pair.Node, pair => pair.Sum));
}
