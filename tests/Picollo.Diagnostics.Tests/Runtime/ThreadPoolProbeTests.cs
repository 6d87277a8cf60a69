using Picollo.Cpu;
using Picollo.Diagnostics.Runtime;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Runtime;

/// <summary>Tests the probe with a simulated clock and pool. Times are in milliseconds.</summary>
[Collection(Alone.Name)] // because of the delay of the pool, which the process shares
public class ThreadPoolProbeTests
{
    private const ulong Millisecond = 1_000_000;

    private readonly HdrHistogram _delays = HdrHistogram.Create();
    private readonly Clock _clock = new();
    private readonly List<IThreadPoolWorkItem> _queued = [];
    private readonly ThreadPoolProbe _probe;
    private PoolActivity _pool;
    private int _items;

    public ThreadPoolProbeTests()
    {
        _probe = new ThreadPoolProbe(_clock, _queued.Add, () => _pool);
        _probe.Add(_delays);
    }

    [Fact]
    public void An_idle_pool_gets_an_item_per_second_and_a_value_for_each_20_ms()
    {
        Run(seconds: 60).Should().BeLessThan(60 * 7, "ticks are rare while the pool is idle");

        _items.Should().BeInRange(50, 61);
        _delays.TotalCount.Should().BeInRange(2_990, 3_000);
    }

    [Fact]
    public void Latency_breakdowns_use_the_delay_of_the_last_item_or_the_age_of_one_that_waits()
    {
        _probe.Tick();
        _clock.Advance(30);
        _probe.Tick();
        LatencySources.PoolDelay.Should().Be(30 * (long)Millisecond);
        _clock.Advance(10);
        _queued.Single().Execute();
        LatencySources.PoolDelay.Should().Be(40 * (long)Millisecond);
    }

    [Fact]
    public void A_pool_that_works_without_a_queue_gets_an_item_at_each_tick()
    {
        int ticks = Run(seconds: 60, beforeTick: () => _pool = _pool with { Completed = _pool.Completed + 1 });
        _items.Should().Be(ticks);
        _delays.TotalCount.Should().BeInRange(2_990, 3_000, "the delay of an item counts for the time since the last tick");
    }

    [Fact]
    public void A_pool_with_a_queue_gets_an_item_each_20_ms()
    {
        Run(seconds: 1, beforeTick: () => _pool = _pool with { Pending = 1 });

        _items.Should().Be(50);
        _delays.TotalCount.Should().Be(50);
    }

    [Fact]
    public void A_thread_that_starts_to_run_an_item_is_an_activity_and_one_that_keeps_running_is_not()
    {
        Run(seconds: 2);
        int before = _items;
        _pool = _pool with { Busy = 1 };
        Tick();
        _items.Should().Be(before + 1, "a thread may have been blocked");

        Tick();
        Tick();
        _items.Should().Be(before + 1);
    }

    [Fact]
    public void The_age_of_a_waiting_item_is_recorded_each_20_ms_and_the_delay_when_it_runs()
    {
        _probe.Tick();
        for (int i = 0; i < 3; i++)
        {
            _clock.Advance(20);
            _probe.Tick().Should().Be(TimeSpan.FromMilliseconds(20));
        }

        _queued.Should().HaveCount(1, "one item waits at a time");
        Values().Should().Equal([20, 40, 60], "the wait is visible before it ends");

        _clock.Advance(5);
        RunQueued();
        Values().Should().Equal(20, 40, 60, 65);
    }

    [Fact]
    public void The_ages_of_each_item_are_recorded()
    {
        for (int i = 0; i < 2; i++)
        {
            _probe.Tick();
            _clock.Advance(45);
            RunQueued();
        }

        Values().Should().Equal(20, 20, 40, 40, 45, 45, 45);
    }

    [Fact]
    public void Ages_between_two_rare_ticks_are_not_omitted()
    {
        Run(seconds: 2);
        _delays.Reset();
        _pool = _pool with { Completed = _pool.Completed + 1 };
        _probe.Tick().Should().Be(TimeSpan.FromMilliseconds(160));
        _clock.Advance(70);
        RunQueued();

        Values().Should().Equal(20, 40, 60, 70, 70, 70, 70, 70, 70, 70, 70);
        _clock.Advance(90);
        _probe.Tick().Should().Be(TimeSpan.FromMilliseconds(20), "the last item waited for a long time");
    }

    [Fact]
    public void A_long_delay_does_not_count_for_the_idle_time_that_follows()
    {
        _probe.Tick();
        _clock.Advance(500);
        RunQueued();
        Run(seconds: 2);

        _delays.GetCountBetween(400 * Millisecond, ulong.MaxValue).Should().BeInRange(5, 7, "400, 420, …, 500 ms");
    }

    [Fact]
    public void A_histogram_that_was_removed_gets_no_values()
    {
        HdrHistogram other = HdrHistogram.Create();
        _probe.Add(other);
        Tick();
        _probe.Remove(_delays);
        Tick();

        other.TotalCount.Should().BeGreaterThan(_delays.TotalCount).And.BeGreaterThan(0);
    }

    [Fact]
    public void Nothing_is_allocated() => Allocations.InSteadyState(() =>
    {
        _pool = _pool with { Pending = 1 };
        _probe.Tick();
        _probe.Execute();
        _queued.Clear();
    }).Should().Be(0);

    /// <summary>Ticks for a time, and runs each item immediately.</summary>
    /// <returns>The number of ticks.</returns>
    private int Run(int seconds, Action? beforeTick = null)
    {
        int ticks = 0;
        for (TimeSpan end = _clock.Now + TimeSpan.FromSeconds(seconds); _clock.Now < end; ticks++)
        {
            beforeTick?.Invoke();
            Tick();
        }

        return ticks;
    }

    private void Tick()
    {
        TimeSpan next = _probe.Tick();
        RunQueued();
        _clock.Advance(next.TotalMilliseconds);
    }

    // Rounded, because a value is known to one part in a thousand.
    private IEnumerable<int> Values() => _delays.BucketsWithValues.SelectMany(
        bucket => Enumerable.Repeat((int)Math.Round((double)bucket.Start / Millisecond), (int)bucket.Count));

    private void RunQueued()
    {
        foreach (IThreadPoolWorkItem item in _queued.ToArray())
        {
            _queued.Remove(item);
            item.Execute();
            _items++;
            _pool = _pool with { Completed = _pool.Completed + 1 };
        }
    }

    /// <summary>A clock that changes only when it is advanced.</summary>
    private sealed class Clock : TimeProvider
    {
        public TimeSpan Now { get; private set; } = TimeSpan.FromTicks(1);

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;

        public void Advance(double milliseconds) => Now += TimeSpan.FromMilliseconds(milliseconds);
    }
}
