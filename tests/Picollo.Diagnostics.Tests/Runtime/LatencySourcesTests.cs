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
        object gate = new();
        using CpuUsageAsyncWatcher sleeping = await Task.Run(() => RunAsync(() => Thread.Sleep(Wait)));
        using CpuUsageAsyncWatcher waiting = await Task.Run(() => RunAsync(() => WaitForLock(gate)));

        SpinWait.SpinUntil(() => LockOf(waiting) > 0, Limit);
        LockOf(waiting).Should().BeGreaterThanOrEqualTo((long)Wait.TotalNanoseconds / 2);
        LockOf(sleeping).Should().Be(0);
        waiting.GetLatencyBreakdown().WallNanoseconds.Should().Be(waiting.WallNanoseconds);
    }

    [Fact]
    public async Task A_wait_for_a_lock_is_added_while_the_segment_still_runs()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        object gate = new();
        await Task.Run(() =>
        {
            using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
            WaitForLock(gate);
            SpinWait.SpinUntil(() => LockOf(watcher) > 0, Limit);

            LockOf(watcher).Should().BePositive();
        });
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

    // Another thread holds the lock until this one has waited for some time.
    private static void WaitForLock(object gate)
    {
        Thread waiter = Thread.CurrentThread;
        using ManualResetEventSlim held = new();
        bool isAtLock = false;
        Thread holder = new(() =>
        {
            lock (gate)
            {
                held.Set();
                SpinWait.SpinUntil(
                    () => Volatile.Read(ref isAtLock) && (waiter.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0, Limit);
                Thread.Sleep(Wait);
            }
        });
        holder.UnsafeStart();
        held.Wait();
        Volatile.Write(ref isAtLock, true);
        lock (gate)
        {
        }

        holder.Join();
    }
}
