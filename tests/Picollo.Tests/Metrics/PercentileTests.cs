using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class PercentileTests
{
    private static readonly Percentile P99 = new(99, 990_000, 990_000, BucketOf(14_190));

    [Theory]
    [InlineData(EquivalentValueSelection.Midpoint, 24_960)]
    [InlineData(EquivalentValueSelection.LowerBound, 24_832)]
    [InlineData(EquivalentValueSelection.UpperBound, 25_087)]
    [InlineData(EquivalentValueSelection.Interpolated, 25_087)]
    [InlineData(default(EquivalentValueSelection), 24_960)]
    public void GetValue_selects_a_value_of_the_bucket(EquivalentValueSelection selection, ulong expected) =>
        P99.GetValue(selection).Should().Be(expected);

    [Fact]
    public void An_undefined_selection_is_rejected() => P99.Invoking(p => p.GetValue((EquivalentValueSelection)5))
        .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("selection");

    [Theory]
    [InlineData(1, 1_000)] // the first of four in [1000, 1004)
    [InlineData(2, 1_001)]
    [InlineData(3, 1_002)]
    [InlineData(4, 1_003)]
    public void Values_of_a_bucket_are_interpolated(int place, ulong expected)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.005).Create();
        histogram.Record(1, 4);
        histogram.Record(1_001, 4);

        Percentile percentile = histogram.GetPercentile(100.0 * (4 + place) / 8);
        percentile.Bucket.Step.Should().Be(4);
        percentile.RunningCountBefore.Should().Be(4);
        percentile.GetValue(EquivalentValueSelection.Interpolated).Should().Be(expected);
        histogram.GetPercentileValue(percentile.Rank, EquivalentValueSelection.Interpolated).Should().Be(expected);
    }

    [Fact]
    public void The_selection_of_one_call_does_not_affect_others()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        histogram.Record(24_900);
        ulong[] values = new ulong[2];

        histogram.GetPercentileValue(50, EquivalentValueSelection.LowerBound).Should().Be(24_832);
        histogram.GetPercentileValue(rank: 50, valueSelection: EquivalentValueSelection.UpperBound).Should().Be(25_087);
        histogram.GetPercentileValues(sortedRanks: [0, 100], values, valueSelection: EquivalentValueSelection.LowerBound);
        values.Should().Equal(24_832, 24_832);
        histogram.GetPercentileValues([100, 0], values);
        values.Should().Equal(24_960, 24_960);
        histogram.Invoking(h => h.GetPercentileValues([50], values, (EquivalentValueSelection)5))
            .Should().Throw<ArgumentOutOfRangeException>();
    }

    [Fact]
    public void A_bucket_has_its_start_its_end_and_the_next_start()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(ulong.MaxValue).Create();
        Bucket bucket = histogram.GetBucket(24_900), top = histogram.GetBucket(ulong.MaxValue);

        (bucket.Start, bucket.Midpoint, bucket.End, bucket.NextBucketStart).Should().Be((24_832UL, 24_960UL, 25_087UL, 25_088UL));
        histogram.GetBucket(bucket.NextBucketStart).LogicalIndex.Should().Be(bucket.LogicalIndex + 1);
        (top.End, top.NextBucketStart).Should().Be((ulong.MaxValue, 0UL));
        bucket.IsValid.Should().BeTrue();
        default(Bucket).IsValid.Should().BeFalse();
        default(Bucket).Should().Match<Bucket>(empty => empty.Start == 0 && empty.Step == 0 && empty.End == 0 && empty.LogicalIndex == 0);
        HdrHistogram.Factory.WithMaxTrackableValue(100).Create().GetBucket(5_000).IsValid.Should().BeFalse();
    }

    [Fact]
    public void Default_buckets_cannot_be_enumerated()
    {
        FluentActions.Invoking(() => default(Buckets).Count()).Should().Throw<InvalidOperationException>();
        FluentActions.Invoking(() => default(BucketPercentiles).Count()).Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void Equality_compares_rank_counts_and_bucket() => new Percentile[]
    {
        new(98, 990_000, 990_000, P99.Bucket), new(99, 989_999, 990_000, P99.Bucket), new(99, 990_000, 990_001, P99.Bucket),
        new(99, 990_000, 990_000, BucketOf(14_191)),
    }.Should().NotContain(P99);

    [Fact]
    public void The_last_bucket_ends_at_2_to_the_64th()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.1).Create();
        histogram.Record(ulong.MaxValue);

        Percentile top = histogram.GetPercentile(100);

        top.GetValue(EquivalentValueSelection.UpperBound).Should().Be(ulong.MaxValue);
        top.ToString().Should().Be(
            "P100=17,870,283,321,406,128,128 [495 / 495]: [17,293,822,569,102,704,640, 18,446,744,073,709,551,616) 1");
    }

    [Theory]
    [InlineData(99.99994, "P99.9999=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(99.99999999999999, "P99.99999999999999=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(99.94138, "P99.9414=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    [InlineData(-0.0, "P0=24,960 [83 / 609]: [24,832, 25,088) 14,190")]
    public void A_percentile_prints_rank_value_and_bucket(double rank, string expected) =>
        Cultures.RunInGerman(() => new Percentile(rank, 1, 1, P99.Bucket).ToString().Should().Be(expected));

    private static Bucket BucketOf(ulong count) => new HdrHistogramLayout(0.5 / 64).BucketAt(firstIndex: 526, storageIndex: 83, count);
}
