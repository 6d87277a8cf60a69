using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>RecordCorrected: correction for coordinated omission.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void A_corrected_record_equals_the_loop_that_defines_it() => Seeded.Run(300, random =>
    {
        bool isWide = random.Next(2) == 0;
        HdrHistogram corrected = isWide ? CreateWide() : CreateNarrow(), looped = isWide ? CreateWide() : CreateNarrow();
        ulong value = isWide ? Values.Edges[random.Next(Values.Edges.Count)] : random.NextBetween(0, 60_000);
        ulong interval = isWide ? (value >> random.Next(10)) + (ulong)random.Next(2) : random.NextBetween(0, 12_000);

        corrected.RecordCorrected(value, interval);
        RecordCorrectedByLoop(looped, value, interval);

        ShouldHaveEqualCounts(corrected, looped);
    });

    [Fact]
    public void A_huge_value_with_a_tiny_interval_takes_one_step_per_bucket()
    {
        HdrHistogram histogram = Factory.Create();

        // One record at a time would take centuries.
        histogram.RecordCorrected(ulong.MaxValue, 1);

        histogram.TotalCount.Should().Be(ulong.MaxValue);
        histogram.GetBucket(0).Count.Should().Be(0);
        histogram.GetBucket(1).Count.Should().Be(1);
        histogram.Buckets.Skip(1).Should().OnlyContain(bucket => bucket.Count == bucket.Step);
    }

    private static void RecordCorrectedByLoop(HdrHistogram histogram, ulong value, ulong interval)
    {
        histogram.Record(value);
        if (interval == 0)
        {
            return;
        }

        // The definition of the HdrHistogram libraries, in signed numbers that cannot wrap.
        for (Int128 missing = (Int128)value - interval; missing >= interval; missing -= interval)
        {
            histogram.Record((ulong)missing);
        }
    }
}
