namespace Picollo.Export.Tests;

/// <summary>Tests the decision about retries with any times, including the smallest and the largest.</summary>
public class OtlpRetryTests
{
    private static readonly OtlpResult Unavailable = new(new HttpRequestException(), MayRetry: true, RetryAfter: null, RejectedPoints: 0);

    [Fact]
    public void The_next_request_is_after_the_backoff_and_before_the_deadline() => Seeded.Run(20_000, random =>
    {
        int attempt = random.Next(10) == 0 ? int.MaxValue : random.Next(1, 2_000);
        double jitter = random.Next(11) / 10.0;
        TimeSpan? retryAfter = RetryAfter(random);
        (TimeSpan now, TimeSpan deadline) = (AnyTime(random), AnyTime(random));
        (TimeSpan backoff, _) = OtlpRetry.After(Unavailable, attempt, TimeSpan.Zero, TimeSpan.MaxValue, jitter);

        (TimeSpan notBefore, bool stops) = OtlpRetry.After(Unavailable with { RetryAfter = retryAfter }, attempt, now, deadline, jitter);

        double nominal = attempt < 6 ? 1 << (attempt - 1) : 30;
        backoff.TotalSeconds.Should().BeInRange(0.8 * nominal, 1.2 * nominal);
        long wait = Math.Max(backoff.Ticks, Math.Min(retryAfter?.Ticks ?? 0, TimeSpan.FromMinutes(10).Ticks));
        Int128 expected = Int128.Min((Int128)now.Ticks + wait, long.MaxValue);
        ((Int128)notBefore.Ticks).Should().Be(expected);
        stops.Should().Be(expected >= deadline.Ticks);
        OtlpRetry.After(Unavailable with { MayRetry = false }, attempt, now, deadline, jitter).Stops.Should().BeTrue();
        (stops || (now < notBefore && notBefore < deadline)).Should().BeTrue("a request is between the present time and the deadline");
    });

    private static TimeSpan? RetryAfter(Random random) => random.Next(4) == 0 ? null : AnyTime(random);

    private static TimeSpan AnyTime(Random random) => random.Next(6) switch
    {
        0 => TimeSpan.FromSeconds(random.Next(-20, 2_000)),
        1 => TimeSpan.FromTicks(random.NextInt64(-20 * TimeSpan.TicksPerSecond, 20 * TimeSpan.TicksPerSecond)),
        2 => TimeSpan.FromTicks(random.NextInt64(long.MinValue, long.MaxValue)),
        3 => TimeSpan.MaxValue - TimeSpan.FromTicks(random.NextInt64(1_000 * TimeSpan.TicksPerSecond)),
        4 => TimeSpan.MinValue + TimeSpan.FromTicks(random.NextInt64(1_000 * TimeSpan.TicksPerSecond)),
        _ => random.Next(3) switch { 0 => TimeSpan.MinValue, 1 => TimeSpan.MaxValue, _ => TimeSpan.Zero },
    };
}
