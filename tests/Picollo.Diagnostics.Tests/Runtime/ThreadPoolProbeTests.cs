using Picollo.Diagnostics.Runtime;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Runtime;

/// <summary>Tests the probe with a simulated clock and queue.</summary>
public class ThreadPoolProbeTests
{
    private readonly HdrHistogram _delays = HdrHistogram.Create();
    private readonly Clock _clock = new();
    private readonly List<IThreadPoolWorkItem> _queued = [];
    private readonly ThreadPoolProbe _probe;

    public ThreadPoolProbeTests() => _probe = new ThreadPoolProbe(_delays, _clock, _queued.Add);

    [Fact]
    public void The_delay_is_the_time_from_queueing_to_running()
    {
        _probe.Tick();
        _clock.Advance(300);
        RunQueued();

        Values().Should().Equal(300UL);
    }

    [Fact]
    public void An_item_that_has_run_is_queued_again_at_the_next_tick()
    {
        for (int i = 0; i < 3; i++)
        {
            _probe.Tick();
            _queued.Should().HaveCount(1);
            RunQueued();
            _clock.Advance(20_000);
        }

        Values().Should().Equal(0UL, 0UL, 0UL);
    }

    [Fact]
    public void The_age_of_a_waiting_item_is_recorded_at_each_tick()
    {
        _probe.Tick();
        for (int i = 0; i < 3; i++)
        {
            _clock.Advance(1_000);
            _probe.Tick();
        }

        _queued.Should().HaveCount(1, "one item waits at a time");
        Values().Should().Equal([1_000UL, 2_000UL, 3_000UL], "the wait is visible before it ends");

        _clock.Advance(500);
        RunQueued();
        Values().Should().Equal(1_000UL, 2_000UL, 3_000UL, 3_500UL);
    }

    [Fact]
    public void Nothing_is_allocated() => Allocations.InSteadyState(() =>
    {
        _probe.Tick();
        _probe.Execute();
        _queued.Clear();
    }).Should().Be(0);

    private IEnumerable<ulong> Values() =>
        _delays.BucketsWithValues.SelectMany(bucket => Enumerable.Repeat(bucket.Start, (int)bucket.Count));

    private void RunQueued()
    {
        foreach (IThreadPoolWorkItem item in _queued.ToArray())
        {
            _queued.Remove(item);
            item.Execute();
        }
    }

    /// <summary>A clock in nanoseconds that changes only when it is advanced.</summary>
    private sealed class Clock : TimeProvider
    {
        private long _nanoseconds = 1;

        public override long TimestampFrequency => 1_000_000_000;

        public override long GetTimestamp() => _nanoseconds;

        public void Advance(long nanoseconds) => _nanoseconds += nanoseconds;
    }
}
