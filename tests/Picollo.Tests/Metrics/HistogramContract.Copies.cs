using System.Buffers;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Copies, differences and corrected copies.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void A_clone_is_equal_and_independent() => Seeded.Run(20, random =>
    {
        HdrHistogram histogram = NextHistogram(random);

        HdrHistogram clone = histogram.Clone();

        clone.Should().BeOfType(histogram.GetType());
        (clone.Layout, clone.MinTrackableValue, clone.MaxTrackableValue)
            .Should().Be((histogram.Layout, histogram.MinTrackableValue, histogram.MaxTrackableValue));
        ShouldHaveEqualCounts(clone, histogram);
        ulong before = histogram.TotalCount;
        clone.Record(histogram.MinTrackableValue);
        (histogram.TotalCount, clone.TotalCount).Should().Be((before, before + 1));
        histogram.Reset();
        (histogram.TotalCount, clone.TotalCount).Should().Be((0, before + 1));
    });

    [Fact]
    public void Added_counts_can_be_subtracted() => Seeded.Run(20, random =>
    {
        HdrHistogram histogram = NextHistogram(random);
        HdrHistogram before = histogram.Clone();
        HdrHistogram other = random.Next(2) == 0 ? histogram.Clone() : NextHistogram(random);

        histogram.Add(other);
        histogram.Subtract(other.GetSnapshot());

        ShouldHaveEqualCounts(histogram, before);
        histogram.Record(histogram.MaxTrackableValue, 3);
        histogram.TotalCount.Should().Be(before.TotalCount + 3, "recording continues");
    });

    [Fact]
    public void A_snapshot_treats_a_subtraction_as_a_reset()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Record(10, 5);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogram other = CreateWide();
        other.Record(10, 2);

        histogram.Subtract(other);
        histogram.Record(20);
        snapshot.Update(deltas: true);
        snapshot.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count)).Should().Equal((10, 3), (20, 1));

        histogram.Record(20);
        snapshot.Update(deltas: true);
        snapshot.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count)).Should().Equal((20, 1));
        histogram.Reset();
        histogram.TotalCount.Should().Be(0);
    }

    [Fact]
    public void A_subtraction_that_would_make_a_count_negative_changes_nothing()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000, 3);
        histogram.Record(25_000, 3);
        histogram.Record(1);
        HdrHistogram other = CreateNarrow();
        other.Record(20_000, 2);
        other.Record(25_000, 4);
        HdrHistogram below = CreateNarrow(), above = CreateNarrow();
        below.Record(1, 2);
        above.Record(ulong.MaxValue);
        HdrHistogram before = histogram.Clone();

        histogram.Invoking(h => h.Subtract(other)).Should().Throw<ArgumentException>().WithMessage("The bucket from 2* to 2* has * values, so 4 cannot be subtracted.*");
        histogram.Invoking(h => h.Subtract(below)).Should().Throw<ArgumentException>().WithMessage("*out-of-range*");
        histogram.Invoking(h => h.Subtract(above)).Should().Throw<ArgumentException>().WithMessage("*out-of-range*");
        histogram.Invoking(h => h.Subtract(null!)).Should().Throw<ArgumentNullException>();

        ShouldHaveEqualCounts(histogram, before);
        histogram.Subtract(histogram);
        ShouldBeEmpty(histogram);
    }

    [Fact]
    public void GetCorrected_equals_corrected_records_of_upper_bounds() => Seeded.Run(20, random =>
    {
        HdrHistogram histogram = NextHistogram(random);
        ulong interval = random.Next(4) == 0 ? 0 : 1 + (random.NextMagnitude() >> 40);
        HdrHistogram expected = Factory.WithLayoutOf(histogram).Create();
        foreach (Bucket bucket in histogram.BucketsWithValues)
        {
            for (ulong n = 0; n < bucket.Count; n++)
            {
                expected.RecordCorrected(bucket.End, interval);
            }
        }

        PlainHdrHistogram<ulong> corrected = histogram.GetSnapshot().GetCorrected(interval);

        corrected.BucketsWithValues.Should().Equal(expected.BucketsWithValues);
        (corrected.UnderflowCount - expected.UnderflowCount, corrected.OverflowCount - expected.OverflowCount)
            .Should().Be((histogram.UnderflowCount, histogram.OverflowCount));
    });

    [Fact]
    public void Steps_contain_all_counts_and_end_at_the_last_value() => Seeded.Run(20, random =>
    {
        HdrHistogram histogram = NextHistogram(random);
        ulong largest = histogram.GetPercentile(100).Bucket.End;

        foreach (HdrHistogramBin[] steps in new HdrHistogramBin[][]
        {
            [.. histogram.GetLinearBins(1 + (largest / 50))],
            [.. histogram.GetSnapshot().GetLogarithmicBins(10, 1.5)],
        })
        {
            steps.Sum(step => (long)step.Count).Should().Be((long)histogram.TotalCount);
            steps.Select(step => step.End).Should().BeInAscendingOrder();
            steps.SkipLast(1).All(step => step.End < largest + histogram.LowestDiscernibleValue).Should().BeTrue();
        }

        Percentile[] percentiles = [.. histogram.GetPercentileSteps(5)];
        if (histogram.TotalCount == 0)
        {
            percentiles.Should().BeEmpty();
            return;
        }

        (percentiles[0].Rank, percentiles[^1].Rank, percentiles[^1].RunningCount).Should().Be((0, 100, histogram.TotalCount));
        percentiles.Select(step => step.Rank).Should().BeInAscendingOrder();
        percentiles.Select(step => step.RunningCount).Should().BeInAscendingOrder();
        percentiles.Select(step => step.RunningCount).Distinct().Should().BeSubsetOf(histogram.BucketPercentilesWithValues.Select(each => each.RunningCount));
    });

    [Fact]
    public void Steps_support_the_largest_value()
    {
        HdrHistogram histogram = Factory.WithRelativeError(0.1).Create();
        histogram.Record([0, ulong.MaxValue]);

        histogram.GetLinearBins(ulong.MaxValue).Should().Equal([new(ulong.MaxValue - 1, 2), new(ulong.MaxValue, 0)], "both are in one bucket");
        histogram.GetLinearBins(1UL << 63).Should().Equal(new HdrHistogramBin((1UL << 63) - 1, 1), new(ulong.MaxValue, 1));
        histogram.GetLogarithmicBins(1UL << 62, 2).Should().Equal(new HdrHistogramBin((1UL << 62) - 1, 1), new((1UL << 63) - 1, 0), new(ulong.MaxValue, 1));
        Factory.Create().GetLogarithmicBins(1UL << 62, 2).Should().BeEmpty();
    }

    [Fact]
    public void Invalid_steps_are_rejected_immediately()
    {
        HdrHistogram histogram = CreateWide();
        histogram.Invoking(h => h.GetLinearBins(0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("step");
        histogram.Invoking(h => h.GetLogarithmicBins(0, 2)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("first");
        foreach (double logBase in new[] { 1, 0, -2, double.NaN, double.PositiveInfinity })
        {
            histogram.Invoking(h => h.GetLogarithmicBins(1, logBase)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("factor");
        }

        histogram.Invoking(h => h.GetPercentileSteps(0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("ticksPerHalfDistance");
    }

    private HdrHistogram NextHistogram(Random random)
    {
        HdrHistogram histogram = Factory.WithRelativeError(random.Next(2) == 0 ? 0.01 : 0.1).WithLowestDiscernibleValue(1UL << random.Next(4))
            .WithMinTrackableValue((ulong)random.Next(2) * 100).WithMaxTrackableValue(1UL << random.Next(10, 40)).Create();
        for (int n = random.Next(60); n > 0; n--)
        {
            histogram.Record(random.NextMagnitude() >> 20, (ulong)random.Next(1, 5));
            if (random.Next(60) == 0)
            {
                histogram.Reset();
            }
        }

        return histogram;
    }

    [Fact]
    public void A_copy_of_the_used_counters_has_all_counts() => Seeded.Run(30, random =>
    {
        HdrHistogram histogram = Factory.WithRelativeError(random.Next(2) == 0 ? 0.1 : 0.002).WithMinTrackableValue((ulong)random.Next(2_000)).Create();
        int low = random.Next(64), high = random.Next(low, 64);
        for (int i = random.Next(30); i > 0; i--)
        {
            histogram.Record((1UL << random.Next(low, high + 1)) + (ulong)random.Next(900), random.Next(9) == 0 ? Whole : 1);
            if (random.Next(40) == 0)
            {
                histogram.Reset();
            }
        }

        histogram.Record(ulong.MaxValue, (ulong)random.Next(2)); // the last bucket of the range

        // Fill the buffer of the pool with values other than 0.
        ulong[] dirty = ArrayPool<ulong>.Shared.Rent(histogram.Length);
        dirty.AsSpan().Fill(77);
        ArrayPool<ulong>.Shared.Return(dirty);
        using HdrHistogramCounts used = histogram.GetCounts();
        using CountsCopy all = histogram.Read();

        int first = histogram.Layout.GetIndex(histogram.MinTrackableValue), end = first + histogram.Length;
        int from = used.FirstIndex - first, to = from + used.AsSpan().Length;
        used.AsSpan().SequenceEqual(all.Counts[from..to]).Should().BeTrue();
        all.Counts[..from].ContainsAnyExcept(0UL).Should().BeFalse();
        all.Counts[to..].ContainsAnyExcept(0UL).Should().BeFalse();
        (used.CountBelowRange, used.CountAboveRange, used.TotalCount).Should().Be((all.Underflow, all.Overflow, histogram.TotalCount));
        used.GetSum().Should().Be(histogram.GetSummary().Sum);
        int middle = random.Next(first, end);
        used.GetCount(middle, end).Should().Be(histogram.TotalCount - used.GetCount(int.MinValue, middle));
        used.GetCount(middle, int.MaxValue).Should().Be(used.GetCount(middle, end));
        used.GetCount(middle, middle).Should().Be(0);
        used.Layout.Should().Be(histogram.Layout);
    });

    [Fact]
    public void Counts_have_the_number_of_resets()
    {
        HdrHistogram histogram = Factory.Create();
        histogram.Reset();
        histogram.Record(7);
        histogram.Reset();
        histogram.Record(9, 3);

        using HdrHistogramCounts counts = histogram.GetCounts();
        using HdrHistogramCounts ofSnapshot = histogram.GetSnapshot().GetCounts();

        (counts.ResetCount, counts.TotalCount).Should().Be((2, 3));
        (ofSnapshot.ResetCount, ofSnapshot.TotalCount, ofSnapshot.GetCount(9, 10)).Should().Be((0, 3, 3));
    }

    [Fact]
    public void Counts_have_the_time_of_the_creation_or_of_the_last_reset()
    {
        DateTimeOffset created = new(2026, 11, 27, 1, 2, 3, TimeSpan.Zero);
        ManualTime time = new() { Now = created };
        HdrHistogram histogram = Factory.WithTimeProvider(time).Create();
        histogram.Record(7);
        time.Now = created.AddSeconds(5);
        using HdrHistogramCounts counts = histogram.GetCounts();
        counts.StartTime.Should().Be(created);

        histogram.Reset();
        time.Now = created.AddSeconds(9);

        histogram.GetCounts(counts).StartTime.Should().Be(created.AddSeconds(5));
        histogram.GetSnapshot().GetCounts(counts).StartTime.Should().BeNull();
    }

    [Fact]
    public void Counts_can_be_filled_again()
    {
        HdrHistogram histogram = Factory.Create();
        histogram.Record(7, 2);
        HdrHistogramCounts counts = histogram.GetCounts();
        histogram.Record(1UL << 40);

        histogram.GetCounts(counts).Should().BeSameAs(counts);
        counts.TotalCount.Should().Be(3);
        counts.Dispose();
        HdrHistogram.Create().GetCounts(counts).TotalCount.Should().Be(0);
        counts.Dispose();
        Allocations.InSteadyState(() =>
        {
            histogram.GetCounts(counts);
            counts.Dispose();
        }).Should().Be(0);
    }

    [Fact]
    public void Disposed_counts_throw_and_return_their_memory_once()
    {
        HdrHistogram histogram = Factory.Create();
        histogram.Record(7);
        HdrHistogramCounts counts = histogram.GetCounts();
        counts.Dispose();
        counts.Dispose();

        ulong[] one = ArrayPool<ulong>.Shared.Rent(histogram.Length), other = ArrayPool<ulong>.Shared.Rent(histogram.Length);

        other.Should().NotBeSameAs(one, "two owners of one array would overwrite each other");
        foreach (Action<HdrHistogramCounts> member in new Action<HdrHistogramCounts>[]
            { c => c.AsSpan(), c => _ = c.TotalCount, c => c.GetCount(0, 9), c => c.GetSum() })
        {
            counts.Invoking(member).Should().Throw<ObjectDisposedException>();
        }

        histogram.Dispose();
        histogram.Invoking(h => h.GetCounts()).Should().Throw<ObjectDisposedException>();
    }

    [Theory]
    [InlineData(20, 1UL << 50)]
    [InlineData(1UL << 50, 20)]
    public void A_copy_of_the_used_counters_includes_all_threads(ulong here, ulong there)
    {
        HdrHistogram histogram = Factory.Create();
        histogram.Record(here);
        NewThread.Run(() => histogram.Record(there));

        using HdrHistogramCounts used = histogram.GetCounts();

        used.TotalCount.Should().Be(2);
    }
}
