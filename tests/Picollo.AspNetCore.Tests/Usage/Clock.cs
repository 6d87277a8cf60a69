namespace Picollo.AspNetCore.Tests.Usage;

/// <summary>A clock that is advanced manually. Timers fire once in <see cref="Advance"/>.</summary>
internal sealed class Clock : TimeProvider
{
    private readonly List<Timer> _timers = [];
    private long _now = 1000;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public void Advance(double seconds)
    {
        _now += TimeSpan.FromSeconds(seconds).Ticks;
        _timers.ForEach(timer => timer.FireIfDue());
    }

    public override long GetTimestamp() => _now;

    public override DateTimeOffset GetUtcNow() => new(_now, TimeSpan.Zero);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Timer timer = new(this, () => callback(state));
        timer.Change(dueTime, period);
        _timers.Add(timer);
        return timer;
    }

    private sealed class Timer(Clock clock, Action callback) : ITimer
    {
        private long? _due;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            _due = dueTime < TimeSpan.Zero ? null : clock._now + dueTime.Ticks;
            return true;
        }

        public void FireIfDue()
        {
            if (clock._now >= _due)
            {
                _due = null;
                callback();
            }
        }

        public void Dispose() => _due = null;

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
