using Picollo.Cpu;

namespace Picollo.Tests.Cpu.Latency;

/// <summary>Tests the rules that divide durations into states.</summary>
public class LatencyAccountTests
{
    [Theory]
    [InlineData(100, 30, 20, 10, 30, 20, 10, 40)]
    [InlineData(100, 100, 50, 50, 100, 0, 0, 0)] // the CPU time is the most exact
    [InlineData(100, 150, 0, 0, 100, 0, 0, 0)]
    [InlineData(100, 60, 50, 50, 60, 40, 0, 0)] // then the run queue
    [InlineData(100, 20, 10, 200, 20, 10, 70, 0)] // a pause of another thread's segment, too
    [InlineData(100, 80, 0, 80, 80, 0, 20, 0)] // with a workstation collector, a pause is CPU time of this thread
    [InlineData(100, -5, -5, -5, 0, 0, 0, 100)]
    [InlineData(-3, 10, 10, 10, 0, 0, 0, 0)]
    public void A_segment_is_divided_in_the_order_of_exactness(
        long wall, long cpu, long runQueue, long collection, long onCpu, long queued, long collecting, long blocked) =>
        LatencyAccount.DivideSegment(wall, cpu, runQueue, collection)
            .Should().Be(new LatencyTimes { Cpu = onCpu, RunQueue = queued, Collection = collecting, Blocked = blocked });

    [Fact]
    public void Waits_for_locks_are_a_part_of_other_waits_and_then_of_collections()
    {
        LatencyTimes segments = new() { Cpu = 10, RunQueue = 5, Collection = 20, Blocked = 30 };

        WithLocks(25).Should().Be(segments with { Lock = 25, Blocked = 5 });
        WithLocks(45).Should().Be(segments with { Lock = 45, Blocked = 0, Collection = 5 });
        WithLocks(1000).Should().Be(segments with { Lock = 50, Blocked = 0, Collection = 0 }, "never of what was read exactly");
        WithLocks(-1).Should().Be(segments);

        LatencyTimes WithLocks(long locks) => LatencyAccount.DivideFlow(65, 65, segments, locks, poolQueue: 0, kernelShare: 0);
    }

    [Fact]
    public void Parallel_segments_are_scaled_to_the_time_in_which_a_thread_ran_the_flow()
    {
        LatencyTimes segments = new() { Cpu = 120, RunQueue = 40, Blocked = 40 };

        LatencyAccount.DivideFlow(150, 100, segments, locks: 20, poolQueue: 15, kernelShare: 0.25)
            .Should().Be(new LatencyTimes { Cpu = 60, Kernel = 15, RunQueue = 20, Lock = 10, Blocked = 10, PoolQueue = 15, Await = 35 });
    }

    [Fact]
    public void What_is_not_known_of_a_segment_is_a_wait_and_the_queue_is_at_most_the_time_without_a_thread()
    {
        LatencyAccount.DivideFlow(150, 100, new LatencyTimes { Cpu = 60 }, locks: 0, poolQueue: 1000, kernelShare: 0)
            .Should().Be(new LatencyTimes { Cpu = 60, Blocked = 40, PoolQueue = 50 });
        LatencyAccount.DivideFlow(50, 100, new LatencyTimes { Cpu = 60 }, locks: 0, poolQueue: 10, kernelShare: 2)
            .Should().Be(new LatencyTimes { Cpu = 50, Kernel = 50 });
    }

    [Fact]
    public void The_states_are_never_negative_and_add_up_whatever_the_readings_are() => Seeded.Run(2000, random =>
    {
        LatencyTimes segments = default;
        for (int i = random.Next(4); i > 0; i--)
        {
            long wall = Any();
            LatencyTimes segment = LatencyAccount.DivideSegment(wall, Any(), Any(), Any());
            ShouldBeParts(segment, Math.Max(wall, 0));
            segments = segments with
            {
                Cpu = segments.Cpu + segment.Cpu,
                RunQueue = segments.RunQueue + segment.RunQueue,
                Collection = segments.Collection + segment.Collection,
                Blocked = segments.Blocked + segment.Blocked,
            };
        }

        long duration = Any();
        LatencyTimes flow = LatencyAccount.DivideFlow(duration, Any(), segments, Any(), Any(), random.NextDouble() * 2 - 0.5);
        ShouldBeParts(flow, Math.Max(duration, 0));
        flow.Kernel.Should().BeInRange(0, flow.Cpu);

        // From -2^45 to 2^55 ns, which is a year.
        long Any() => random.Next(10) == 0 ? -random.NextInt64(1L << random.Next(45)) : random.NextInt64(1L << random.Next(55));
    });

    private static void ShouldBeParts(LatencyTimes times, long sum)
    {
        long[] parts = [times.Cpu, times.RunQueue, times.Collection, times.Lock, times.Blocked, times.PoolQueue, times.Await];
        parts.Should().OnlyContain(part => part >= 0);
        parts.Sum().Should().Be(sum);
    }
}
