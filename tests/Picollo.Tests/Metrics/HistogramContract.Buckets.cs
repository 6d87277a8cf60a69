using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Buckets, ranks of values, counts between values, and enumerations.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void Buckets_cover_the_range_in_ascending_order()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000, 3);

        Bucket[] buckets = [.. histogram.Buckets];

        buckets.Select(bucket => bucket.StorageIndex).Should().Equal(Enumerable.Range(0, 104));
        buckets.Select(bucket => bucket.LogicalIndex).Should().Equal(Enumerable.Range(526, 104));
        buckets[0].Start.Should().Be(9_984);
        buckets[0].Step.Should().Be(128);
        (buckets[^1].Start + buckets[^1].Step).Should().Be(30_208);
        buckets.Zip(buckets.Skip(1)).Should().OnlyContain(pair => pair.First.Start + pair.First.Step == pair.Second.Start);
        buckets.Where(bucket => bucket.Count > 0).Should().Equal(histogram.BucketsWithValues);
        PropertiesOf(histogram.BucketsWithValues.Single()).Should().Be((19_968UL, 256UL, 3UL, 64, 590));
    }

    [Fact]
    public void Bucket_percentiles_of_empty_buckets_are_between_their_neighbors()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(1);
        histogram.Record(3, 3);

        Percentile[] percentiles = [.. histogram.BucketPercentiles];

        percentiles.Should().HaveCount(histogram.Buckets.Count());
        percentiles.Take(5).Select(percentile => percentile.Rank).Should().Equal(0, 12.5, 25, 62.5, 100);
        percentiles.Take(5).Select(percentile => percentile.TargetCount).Should().Equal(1, 1, 1, 3, 4);
        percentiles.Take(5).Select(percentile => percentile.RunningCount).Should().Equal(0, 1, 1, 4, 4);
    }

    [Fact]
    public void Enumerations_of_an_empty_histogram_have_no_NaN()
    {
        HdrHistogram histogram = CreateNarrow();

        histogram.Buckets.Should().HaveCount(104).And.OnlyContain(bucket => bucket.Count == 0);
        histogram.BucketPercentiles.Should().HaveCount(104).And.OnlyContain(percentile => percentile.Rank == 0 && percentile.TargetCount == 0 && percentile.RunningCount == 0);
        histogram.BucketPercentilesWithValues.Should().BeEmpty();
    }

    [Fact]
    public void An_enumeration_reads_the_counts_at_its_start()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record([1, 2]);
        using IEnumerator<Bucket> buckets = histogram.BucketsWithValues.GetEnumerator();
        buckets.MoveNext().Should().BeTrue();

        histogram.Record([2, 3]);
        histogram.Reset();

        buckets.MoveNext().Should().BeTrue();
        PropertiesOf(buckets.Current).Should().Be((2UL, 1UL, 1UL, 2, 2));
        buckets.MoveNext().Should().BeFalse();
    }

    [Fact]
    public void A_bucket_out_of_range_has_the_count_of_its_side()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record([1, 2, 9_000]);
        histogram.Record([40_000, ulong.MaxValue]);

        Bucket below = histogram.GetBucket(9_983);
        Bucket above = histogram.GetBucket(30_208);

        PropertiesOf(below).Should().Be((9_856UL, 128UL, 3UL, -1, 525));
        PropertiesOf(above).Should().Be((30_208UL, 256UL, 2UL, -1, 630));
        below.IsOverflowBucket.Should().BeTrue();
        above.IsOverflowBucket.Should().BeTrue();
        histogram.GetBucket(9_984).IsOverflowBucket.Should().BeFalse();
        histogram.GetBucket(30_207).IsOverflowBucket.Should().BeFalse();
    }

    [Fact]
    public void GetCountBetween_rejects_reversed_values() => CreateNarrow().Invoking(histogram => histogram.GetCountBetween(2, 1))
        .Should().Throw<ArgumentException>().WithParameterName("low");

    private static (ulong Start, ulong Step, ulong Count, int StorageIndex, int LogicalIndex) PropertiesOf(Bucket bucket) =>
        (bucket.Start, bucket.Step, bucket.Count, bucket.StorageIndex, bucket.LogicalIndex);
}
