namespace Picollo.Export.Tests;

/// <summary>A clock with timers that a test advances. Timers run on the thread that advances the clock. The wall clock can also be set; the
/// monotonic clock cannot.</summary>
internal sealed class ManualTime(DateTimeOffset start) : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Timer> _timers = [];
    private DateTimeOffset _now = start;
    private long _timestamp;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => _now;

    public override long GetTimestamp() => _timestamp;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        lock (_gate)
        {
            var timer = new Timer(this, () => callback(state), dueTime, period.Ticks, _timestamp + dueTime.Ticks);
            _timers.Add(timer);
            return timer;
        }
    }

    /// <summary>The time until the next tick; null if there is no timer.</summary>
    public TimeSpan? UntilNext => First() is { Next: < long.MaxValue } first ? TimeSpan.FromTicks(first.Next - _timestamp) : null;

    /// <summary>Whether there is a timer that was created with a due time.</summary>
    public bool Has(TimeSpan dueTime)
    {
        lock (_gate)
        {
            return _timers.Exists(timer => timer.DueTime == dueTime);
        }
    }

    /// <summary>Whether there is a timer that was created with a due time below a limit, and has not run.</summary>
    public bool HasPending(TimeSpan below)
    {
        lock (_gate)
        {
            return _timers.Exists(timer => timer.DueTime < below && timer.Next < long.MaxValue);
        }
    }

    /// <summary>Advances the clock and runs all timers that are due.</summary>
    public void Advance(TimeSpan time)
    {
        long until = _timestamp + time.Ticks;
        while (First() is { } first && first.Next <= until)
        {
            GoTo(first.Next);
            first.Next = first.Period > 0 ? first.Next + first.Period : long.MaxValue;
            first.Call();
        }

        GoTo(Math.Max(until, _timestamp));
    }

    /// <summary>Advances the clock without running timers, as during a tick.</summary>
    public void Spend(TimeSpan time) => GoTo(_timestamp + time.Ticks);

    public void SetClock(DateTimeOffset now) => _now = now;

    private Timer? First()
    {
        lock (_gate)
        {
            return _timers.MinBy(timer => timer.Next);
        }
    }

    private void GoTo(long timestamp)
    {
        _now += TimeSpan.FromTicks(timestamp - _timestamp);
        _timestamp = timestamp;
    }

    private sealed class Timer(ManualTime time, Action call, TimeSpan dueTime, long period, long next) : ITimer
    {
        public TimeSpan DueTime => dueTime;

        public long Period => period;

        public long Next { get; set; } = next;

        public void Call() => call();

        public bool Change(TimeSpan dueTime, TimeSpan period) => throw new NotSupportedException();

        public void Dispose()
        {
            lock (time._gate)
            {
                time._timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
