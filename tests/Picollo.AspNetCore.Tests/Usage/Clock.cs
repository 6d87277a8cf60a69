namespace Picollo.AspNetCore.Tests.Usage;

/// <summary>A clock that is advanced manually.</summary>
internal sealed class Clock : TimeProvider
{
    private long _now = 1000;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public void Advance(double seconds) => _now += TimeSpan.FromSeconds(seconds).Ticks;

    public override long GetTimestamp() => _now;

    public override DateTimeOffset GetUtcNow() => new(_now, TimeSpan.Zero);
}
