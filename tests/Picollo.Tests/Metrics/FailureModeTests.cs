using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Tests that the failure modes of earlier implementations do not occur. Other tests cover the rest of the list: <see
/// cref="ScopeTests"/> covers mode 4 (ticks above 18 s), the Carries part of <see cref="HistogramContract"/> covers mode 6
/// (counters that wrap), <see cref="ThreadChurnTests"/> covers modes 1 and 8 (histograms that share a slot; changing threads with a
/// concurrent reader and collections), and the layout and model tests cover modes 5, 7 and 9.</summary>
[Collection(Alone.Name)]
public class FailureModeTests
{
    [Theory]
    [MemberData(nameof(Variants.Concurrent), MemberType = typeof(Variants))]
    public void Mode_2_records_of_threads_that_first_record_after_a_reset_are_counted(string variant)
    {
        HdrHistogram histogram = Variants.Factories[variant].Create();
        histogram.Record(1, 1_000);
        NewThread.RunAll(4, _ => histogram.Record(1, 1_000));
        for (ulong round = 1; round <= 20; round++)
        {
            histogram.Reset();
            NewThread.RunAll(4, _ => histogram.Record(2, round));
            histogram.TotalCount.Should().Be(4 * round);
            histogram.GetBucket(1).Count.Should().Be(0);
        }
    }

    [Theory]
    [MemberData(nameof(Variants.Concurrent), MemberType = typeof(Variants))]
    [Trait("Category", "Slow")]
    public void Mode_3_thousands_of_ended_threads_leave_their_counts_but_no_memory(string variant)
    {
        const int Waves = 150;
        const int AtOnce = 8;
        HdrHistogramFactory factory = Variants.Factories[variant].WithRelativeError(0.01).WithMaxTrackableValue(1UL << 40);
        HdrHistogram histogram = factory.Create();
        HdrHistogramFactory plainFactory = variant.EndsWith("32", StringComparison.Ordinal) ? HdrHistogram.Factory : HdrHistogram.Factory.WithUInt64Storage();
        HdrHistogram one = plainFactory.WithRelativeError(0.01).WithMaxTrackableValue(1UL << 40).Create();
        one.Record(20_000);
        long plain = one.FootprintInBytes;
        using Barrier alive = new(AtOnce);

        for (int wave = 1; wave <= Waves; wave++)
        {
            NewThread.RunAll(AtOnce, _ =>
            {
                histogram.Record(20_000);
                alive.SignalAndWait(); // all of them are alive at the same time and have numbers
                histogram.Record(20_000);
            });
            histogram.TotalCount.Should().Be((ulong)(wave * AtOnce * 2), "counts are kept when their thread ends");
        }

        // The factor 2 is needed because another thread of the process may take the number of an ended thread, whose successor then takes
        // another number.
        histogram.FootprintInBytes.Should().BeLessThanOrEqualTo(((2 * AtOnce) + 1) * plain, "new threads reuse the counters of ended threads");
    }
}
