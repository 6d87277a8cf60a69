using Picollo.Cpu;
using Picollo.Profiling.Sampling;
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

        Add(Other, (20, Start, 7), (50, End, 0));
        Add(Thread, (5, Start, 6), (8, End, 0), (30, Start, 7), (40, End, 0), (50, Start, 7), (70, End, 0), (110, Start, 8), (115, End, 0));
        _waits.Complete(200);

        ShouldBe(A, (7, new(2, 30, 20)));
        ShouldBe(B, (7, new(1, 30, 30)), (8, new(1, 5, 5)));
        ShouldBe(FlowLabel.None, (None, new(1, 3, 3)));
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
    public void A_wait_that_has_not_ended_counts_until_the_end()
    {
        _log.Add(1, WatcherOf(A));
        _otherLog.Add(1, WatcherOf(B));
        Add(Thread, (50, Start, 7));
        Add(Other, (60, LockStart, 8), (61, Start, 9));
        _waits.Complete(200);

        ShouldBe(A, (7, new(1, 150, 150)));
        ShouldBe(B, (8, new(1, 140, 140)));
    }

    [Fact]
    public void The_time_in_the_queue_belongs_to_the_first_flow_that_the_thread_enters()
    {
        CpuUsageAsyncWatcher request = WatcherOf(A);
        Add(Thread, (20, Dequeued, 1), (40, Dequeued, 2), (60, Dequeued, 3), (90, Dequeued, 99));
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

    private static CpuUsageAsyncWatcher WatcherOf(FlowLabel label) => new() { Label = label, Outer = null };

    private void Add(int thread, params (long Time, WaitEventKind Kind, long Id)[] events) =>
        Array.ForEach(events, each => _waits.Add(new WaitEvent(each.Time, thread, each.Kind, each.Id)));

    private void ShouldBe(FlowLabel label, params (int Node, WaitSum Sum)[] expected) =>
        _waits.Labels[label].Should().BeEquivalentTo(expected.ToDictionary(pair => pair.Node, pair => pair.Sum));
}
