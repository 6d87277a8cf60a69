using System.Diagnostics.Tracing;
using System.Reflection;
using Picollo.Cpu;
using Picollo.Diagnostics.Runtime;

namespace Picollo.Diagnostics.Tests.Runtime;

[Collection(Alone.Name)] // waits of other tests would count
[Trait("Category", "Slow")]
public sealed class RuntimeEventListenerTests : IDisposable
{
    private readonly RuntimeEventReader _reader = new(new RuntimeHistograms(registry: null));
    private readonly RuntimeEventListener _listener = RuntimeEventListener.Start();
    private readonly Lock _lock = new();

    public RuntimeEventListenerTests() => _listener.Add(_reader);

    [Fact]
    public void The_runtime_gets_a_new_session_after_many_threads_and_events_continue()
    {
        ulong first = RuntimeSession();
        WaitForLockOnNewThreads(100);
        _listener.RenewSession().Should().BeFalse("few threads have written events");
        RuntimeSession().Should().Be(first);

        WaitForLockOnNewThreads(1_000);
        SessionClock before = _listener.Clock;
        _listener.RenewSession().Should().BeTrue();
        _listener.Clock.Timestamp.Should().BeGreaterThan(before.Timestamp, "the times of events are relative to their session");
        RuntimeSession().Should().NotBe(first, "only a new session drops the records of threads that have ended");
        _listener.RenewSession().Should().BeFalse("the count of threads starts again");

        WaitForLockOnNewThreads(10);
    }

    [Fact]
    [Trait("Category", "Long")]
    public void A_meter_starts_a_new_session_from_time_to_time()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        ulong first = RuntimeSession();
        WaitForLockOnNewThreads(1_100);

        SpinWait.SpinUntil(() => RuntimeSession() != first, TimeSpan.FromMinutes(1)).Should().BeTrue();
    }

    [Fact]
    public void States_have_no_source_after_the_last_meter_has_ended()
    {
        using (RuntimeMeter.Start())
        {
            (LatencySources.States & LatencyStates.Lock).Should().NotBe(default);
        }

        LatencySources.States.Should().Be(LatencyStates.Cpu | LatencyStates.GarbageCollection | LatencyStates.Blocked | LatencyStates.Await);
    }

    [Fact]
    public void A_new_session_is_shared_by_all_readers()
    {
        const uint collection = 1;
        const long hour = 3_600_000_000_000;
        RuntimeEventReader others = new(new RuntimeHistograms(registry: null));
        _listener.Add(others);
        WaitForLockOnNewThreads(1_100);
        SpinWait.SpinUntil(() => others.LockWaits.TotalCount >= 1_100, TimeSpan.FromMinutes(1)).Should().BeTrue();
        RuntimeEventReader[] readers = [_reader, others];
        long now = DateTime.UtcNow.Ticks * TimeSpan.NanosecondsPerTick; // in the unit of this process's events
        foreach (RuntimeEventReader reader in readers)
        {
            reader.OnSuspendBegin(now, collection);
            reader.OnSuspendEnd(now);
        }

        _listener.RenewSession().Should().BeTrue();

        Array.ForEach(readers, reader => reader.OnRestartBegin(now + hour));
        readers.Should().OnlyContain(reader => reader.Pauses.GetCountBetween(hour / 2, ulong.MaxValue) == 0, "the end may be among the lost events");
    }

    [Fact]
    public void A_reader_that_was_removed_gets_no_events()
    {
        RuntimeEventReader removed = new(new RuntimeHistograms(registry: null));
        _listener.Add(removed);
        WaitForLockOnNewThreads(1);
        _listener.Remove(removed);
        ulong count = removed.LockWaits.TotalCount;
        count.Should().BePositive();
        WaitForLockOnNewThreads(1);

        removed.LockWaits.TotalCount.Should().Be(count);
    }

    public void Dispose() => _listener.Dispose();

    /// <summary>Lets new threads wait for a lock until the listener has received this number of waits.</summary>
    private void WaitForLockOnNewThreads(int count)
    {
        ulong end = _reader.LockWaits.TotalCount + (ulong)count;
        for (int i = 0; i < 10 * count && _reader.LockWaits.TotalCount < end; i++)
        {
            WaitOnNewThread();
        }

        SpinWait.SpinUntil(() => _reader.LockWaits.TotalCount >= end, TimeSpan.FromMinutes(1)).Should().BeTrue();
    }

    private void WaitOnNewThread()
    {
        Thread thread = new(
            () =>
            {
                lock (_lock)
                {
                }
            },
            maxStackSize: 128 * 1024);
        lock (_lock)
        {
            thread.Start();
            SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0);
        }

        thread.Join();
    }

    /// <summary>The ID of the session that the runtime has for all listeners of this process.</summary>
    private static ulong RuntimeSession()
    {
        Type dispatcher = typeof(EventSource).Assembly.GetType("System.Diagnostics.Tracing.EventPipeEventDispatcher", throwOnError: true)!;
        object instance = dispatcher.GetField("Instance", BindingFlags.Static | BindingFlags.NonPublic)!.GetValue(null)!;
        return (ulong)dispatcher.GetField("m_sessionID", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(instance)!;
    }
}
