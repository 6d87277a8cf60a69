using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Concurrent writers of a plain histogram, which supports one writer: they lose some of each other's records, but invent
/// none.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ConcurrentWritersStressTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(2);

    [Theory]
    [InlineData("plain 32")]
    [InlineData("plain 64")]
    public void Lost_records_do_not_wrap_to_huge_counts_after_a_reset(string variant)
    {
        HdrHistogram histogram = Variants.Factories[variant]
            .WithRelativeError(0.01).WithMinTrackableValue(10_000).WithMaxTrackableValue(30_000).Create();
        HdrHistogramSnapshot deltas = histogram.GetSnapshot();
        using Writers writers = new(histogram, count: 4, large: false);
        long end = Environment.TickCount64 + (long)Duration.TotalMilliseconds;
        while (Environment.TickCount64 < end)
        {
            // A writer that restores an old count sets the counter below the baseline of the reset or the update.
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
