using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>
/// Several writers at once in a plain histogram, which is for one: they lose some of each other's records, and make none up.
/// </summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class MeetingWritersStressTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(2);

    [Theory]
    [InlineData("plain 32")]
    [InlineData("plain 64")]
    public void What_is_lost_before_a_reset_is_not_seen_as_a_huge_count_after_it(string variant)
    {
        HdrHistogram histogram = Variants.Factories[variant]
            .WithRelativeError(0.01).WithMinTrackableValue(10_000).WithMaxTrackableValue(30_000).Create();
        HdrHistogramSnapshot deltas = histogram.GetSnapshot();
        using Writers writers = new(histogram, count: 4, large: false);
        long end = Environment.TickCount64 + (long)Duration.TotalMilliseconds;
        while (Environment.TickCount64 < end)
        {
            // A writer that puts back an old count takes the counter below the baseline of the reset or of the update.
            histogram.Reset();
            Thread.Sleep(1);
            histogram.TotalCount.Should().BeLessThanOrEqualTo(writers.Begun);
            deltas.Update();
            Thread.Yield();
            deltas.Update(deltas: true);
            deltas.TotalCount.Should().BeLessThanOrEqualTo(writers.Begun);
        }

        writers.Stop();
    }
}
