using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu.Latency;

/// <summary>Tests the sums of flows with time lines. Times are in milliseconds.</summary>
[Collection(Alone.Name)] // because of the delay of the pool, which the process shares
public class FlowLatencyTests
{
    private readonly FlowLatency _flow = new(At(0), LatencyStates.Cpu | LatencyStates.Blocked | LatencyStates.Lock | LatencyStates.Await);

    [Fact]
    public void Without_a_thread_a_flow_awaits()
    {
        Run(0, 10, cpu: 4);
        Run(30, 50, cpu: 20);

        Finish(60, cpu: 24).Should().Be("60.0 ms: await 30.0, cpu 24.0, blocked 6.0");
    }

    [Fact]
    public void Threads_that_overlap_are_scaled_to_their_union()
    {
        _flow.Enter(At(0));
        _flow.Enter(At(10));
        Leave(0, 20, cpu: 20);
        Leave(10, 30, cpu: 0);

        Finish(30, cpu: 20).Should().Be("30.0 ms: cpu 15.0, blocked 15.0");
    }

    [Fact]
    public void A_thread_that_enters_before_the_last_one_has_left_is_not_counted_twice()
    {
        // The continuation runs before the thread that queued it has left, and it reports its entry later.
        _flow.Enter(At(0));
        Leave(0, 20, cpu: 20);
        _flow.Enter(At(15));
        Leave(15, 40, cpu: 25);

        Finish(40, cpu: 45).Should().Be("40.0 ms: cpu 40.0");
    }

    [Fact]
    public void A_thread_that_has_ended_at_an_unknown_time_does_not_count_since_its_entry()
    {
        _flow.Enter(At(0));
        Run(10, 20, cpu: 10);
        _flow.Lose(At(0));

        Finish(30, cpu: 10).Should().Be("30.0 ms: await 20.0, cpu 10.0");
    }

    [Fact]
    public void A_segment_that_still_runs_at_the_end_counts_with_its_CPU_time()
    {
        _flow.Enter(At(0));
        Finish(20, cpu: 5).Should().Be("20.0 ms: blocked 15.0, cpu 5.0");
    }

    [Fact]
    public void Pieces_of_a_segment_are_added_before_it_ends()
    {
        _flow.Enter(At(0));
        Add(0, 10, cpu: 10);
        Leave(10, 20, cpu: 0);

        Finish(20, cpu: 10).Should().Be("20.0 ms: cpu 10.0, blocked 10.0");
    }

    [Fact]
    public void A_wait_for_a_lock_that_is_reported_after_the_end_moves_from_blocked_to_lock()
    {
        Run(0, 20, cpu: 5);
        Finish(20, cpu: 5).Should().Be("20.0 ms: blocked 15.0, cpu 5.0");
        _flow.AddLockWait(Ms(12));

        Text(20).Should().Be("20.0 ms: lock 12.0, cpu 5.0, blocked 3.0");
    }

    [Fact]
    public void Sources_that_start_during_a_flow_do_not_count_and_its_states_still_add_up()
    {
        FlowLatency flow = new(At(0), LatencyStates.Cpu | LatencyStates.Blocked | LatencyStates.Await);
        flow.Enter(At(0));
        flow.Add(new SegmentLatency(At(20), Ms(5), LatencyAccount.DivideSegment(Ms(20), Ms(5), runQueue: Ms(10), collection: 0)));
        flow.Leave(At(20));
        flow.Finish(At(20), Ms(5));
        flow.AddLockWait(Ms(2));

        flow.ToBreakdown(Ms(20), split: null).ToString().Should().Be("20.0 ms: blocked 15.0, cpu 5.0");
    }

    [Fact]
    public void The_first_and_the_last_microseconds_in_which_a_thread_enters_and_leaves_are_CPU_time()
    {
        _flow.Enter(At(0.003));
        Leave(0.003, 1, cpu: 0.5);

        Finish(1.004, cpu: 0.5).Should().Be("1.004 ms: cpu 0.507, blocked 0.497");
    }

    [Fact]
    public void A_collection_is_an_upper_bound_if_the_thread_has_also_waited()
    {
        GetEstimated(blocked: 0).Should().BeFalse();
        GetEstimated(blocked: 5).Should().BeTrue();

        static bool GetEstimated(double blocked)
        {
            FlowLatency flow = new(At(0), LatencyStates.GarbageCollection | LatencyStates.Blocked);
            flow.Enter(At(0));
            flow.Add(new SegmentLatency(At(10), 0, LatencyAccount.DivideSegment(Ms(10), 0, 0, Ms(10 - blocked))));
            flow.Leave(At(10));
            flow.Finish(At(10), 0);
            return flow.ToBreakdown(Ms(10), split: null).IsEstimated(LatencyState.GarbageCollection);
        }
    }

    [Fact]
    public async Task Only_a_thread_of_the_pool_that_continues_the_flow_has_waited_in_the_queue_and_at_most_since_the_last_one_left()
    {
        LatencySources.PoolDelay = Ms(20);

        (await Task.Run(() => Queue(byThreadSwitch: true))).Should().Be(Ms(25));
        (await Task.Run(() => Queue(byThreadSwitch: false))).Should().Be(0);
        NewThread.Run(() => Queue(byThreadSwitch: true)).Should().Be(0);

        static long Queue(bool byThreadSwitch)
        {
            FlowLatency flow = new(At(0), LatencyStates.PoolQueue | LatencyStates.Await);
            foreach ((double start, double end) in ((double, double)[])[(0, 10), (15, 20), (100, 110)])
            {
                flow.Enter(At(start), byThreadSwitch);
                flow.Leave(At(end));
            }

            flow.Finish(At(110), 0);
            return flow.ToBreakdown(Ms(110), split: null).GetNanoseconds(LatencyState.PoolQueue)!.Value;
        }
    }

    [Fact]
    public void Time_lines_of_many_threads_add_up() => Seeded.Run(300, random =>
    {
        FlowLatency flow = new(At(0), LatencyStates.Cpu | LatencyStates.Blocked | LatencyStates.Await);
        List<double> threads = [];
        double now = 0, cpu = 0;
        for (int i = 0; i < 50; i++)
        {
            now += random.Next(5);
            if (threads.Count == 0 || random.Next(2) == 0)
            {
                threads.Add(now - random.NextDouble());
                flow.Enter(At(threads[^1]));
            }
            else
            {
                double start = threads[0], used = random.NextDouble() * (now - start);
                threads.RemoveAt(0);
                cpu += used;
                flow.Add(Piece(start, now, used));
                flow.Leave(At(now));
            }
        }

        flow.Finish(At(now), Ms(cpu));
        LatencyBreakdown breakdown = flow.ToBreakdown(Ms(now), split: null);
        breakdown.WallNanoseconds.Should().Be(Ms(now));
        Enum.GetValues<LatencyState>().Should().OnlyContain(state => (breakdown.GetNanoseconds(state) ?? 0) >= 0);
    });

    private static long At(double milliseconds) => (long)(milliseconds * Stopwatch.Frequency / 1000);

    private static long Ms(double milliseconds) => (long)(milliseconds * 1e6);

    private static SegmentLatency Piece(double start, double end, double cpu) =>
        new(At(end) - At(start), Ms(cpu), LatencyAccount.DivideSegment(Ms(end) - Ms(start), Ms(cpu), 0, 0));

    private void Run(double start, double end, double cpu)
    {
        _flow.Enter(At(start));
        Leave(start, end, cpu);
    }

    private void Add(double start, double end, double cpu) => _flow.Add(Piece(start, end, cpu));

    private void Leave(double start, double end, double cpu)
    {
        Add(start, end, cpu);
        _flow.Leave(At(end));
    }

    private string Finish(double end, double cpu)
    {
        _flow.Finish(At(end), Ms(cpu));
        return Text(end);
    }

    private string Text(double wall) => _flow.ToBreakdown(Ms(wall), split: null).ToString();
}
