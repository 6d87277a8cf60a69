using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Compares histograms of any precision and range with a sorted array of any values.</summary>
public class SortedOracleTests
{
    private const int MaxBuckets = 100_000;
    private static readonly double[] Ranks = [0, 1, 5, 10, 25, 50, 75, 90, 92.5, 95, 97.5, 99, 99.9, 99.99, 99.999, 100];

    [Fact]
    [Trait("Category", "Slow")]
    public void Any_histogram_agrees_with_the_sorted_values() => Seeded.Run(400, random =>
    {
        (HdrHistogram histogram, double asked) = NextHistogram(random);
        ulong[] values = NextValues(random, histogram);
        foreach (ulong value in values)
        {
            histogram.Record(value);
        }

        SortedOracle oracle = new(values, histogram.BlockSize, histogram.LowestDiscernibleValue, histogram.MinTrackableValue, histogram.MaxTrackableValue);

        histogram.RelativeError.Should().BeLessThanOrEqualTo(asked);
        CountsShouldAgree(histogram, oracle);
        PercentilesShouldBeWithinTheError(histogram, oracle, [.. Ranks, .. Enumerable.Range(0, 20).Select(_ => random.NextDouble() * 100)]);
        foreach (ulong value in values.Take(20).Concat([0UL, histogram.MinTrackableValue, histogram.MaxTrackableValue, ulong.MaxValue]))
        {
            ulong other = values.Length == 0 ? 5 : values[random.Next(values.Length)];
            RankOracle.ShouldBeRankOf(histogram.GetPercentileRank(value), oracle.CountBetween(0, value), oracle.Total);
            histogram.GetCountBetween(Math.Min(value, other), Math.Max(value, other))
                .Should().Be(oracle.CountBetween(Math.Min(value, other), Math.Max(value, other)));
        }
    });

    private static void CountsShouldAgree(HdrHistogram histogram, SortedOracle oracle)
    {
        histogram.TotalCount.Should().Be(oracle.Total);
        histogram.UnderflowCount.Should().Be(oracle.Underflow);
        histogram.OverflowCount.Should().Be(oracle.Underflow + oracle.Overflow);
        histogram.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count)).Should().Equal(oracle.Buckets);
        Percentile[] percentiles = [.. histogram.BucketPercentilesWithValues];
        double before = 0;
        foreach (Percentile percentile in percentiles)
        {
            double middle = before + (percentile.Bucket.Count / 2.0);
            double rank = middle / oracle.Total * 100;
            before += percentile.Bucket.Count;

            // Use a plain condition: FluentAssertions takes microseconds for each of a million buckets.
            if (!(Math.Abs(percentile.Rank - rank) <= 1e-9)
                || percentile.TargetCount != (ulong)Math.Ceiling(middle) || percentile.RunningCount != (ulong)before)
            {
                Assert.Fail($"{percentile} should be at rank {rank}, with {middle} values up to its middle and {before} up to its end.");
            }
        }
    }

    private static void PercentilesShouldBeWithinTheError(HdrHistogram histogram, SortedOracle oracle, double[] ranks)
    {
        Percentile[] percentiles = new Percentile[ranks.Length];
        histogram.GetPercentiles(ranks, percentiles);
        if (oracle.Total == 0)
        {
            percentiles.Should().OnlyContain(percentile => percentile.TargetCount == 0 && percentile.RunningCount == 0 && percentile.Value == 0);
            return;
        }

        for (int i = 0; i < ranks.Length; i++)
        {
            (ulong count, ulong exact) = oracle.At(ranks[i]);
            percentiles[i].TargetCount.Should().Be(count);
            percentiles[i].RunningCount.Should().Be(histogram.GetCountBetween(0, exact));
            percentiles[i].Bucket.Start.Should().Be(oracle.StartOf(exact));

            // distance / exact <= 0.5 / BlockSize in integers; below BlockSize units, half a unit.
            BigInteger distance = BigInteger.Abs((BigInteger)percentiles[i].Value - exact);
            BigInteger least = (BigInteger)histogram.LowestDiscernibleValue * (histogram.LowestDiscernibleValue == 1 ? 0 : histogram.BlockSize);
            (distance * 2 * histogram.BlockSize).Should().BeLessThanOrEqualTo(BigInteger.Max(exact, least), "P{0} of {1} is {2}", ranks[i], exact, percentiles[i]);
        }
    }

    // Any precision, and any range that has few enough buckets for a case of milliseconds.
    private static (HdrHistogram Histogram, double Asked) NextHistogram(Random random)
    {
        double asked = Math.Clamp(Math.Exp(Math.Log(1e-6) + (random.NextDouble() * Math.Log(1e5))), 1e-6, 0.1);
        HdrHistogramFactory factory = Variants.Next(random).WithRelativeError(asked);
        int unitScale = random.Next(2) == 0 ? 0 : random.Next(0, HdrHistogramLayout.MaxUnitAndBlockScale - new HdrHistogramLayout(asked).BlockScale + 1);
        factory = factory.WithLowestDiscernibleValue(1UL << unitScale);
        HdrHistogramLayout layout = new(asked, 1UL << unitScale);
        while (true)
        {
            ulong min = random.Next(3) == 0 ? 0 : random.NextMagnitude();
            ulong max = random.Next(3) == 0 ? ulong.MaxValue : random.NextMagnitude();
            if (min < max && layout.IndexOf(max) - layout.IndexOf(min) < MaxBuckets)
            {
                return (factory.WithMinTrackableValue(min).WithMaxTrackableValue(max).Create(), asked);
            }
        }
    }

    private static ulong[] NextValues(Random random, HdrHistogram histogram)
    {
        ulong min = histogram.MinTrackableValue;
        ulong max = histogram.MaxTrackableValue;
        int distribution = random.Next(5);
        return [.. Enumerable.Range(0, random.Next(4) == 0 ? random.Next(4) : random.Next(1_000)).Select(_ => distribution switch
        {
            0 => random.NextMagnitude(),
            1 => random.NextBetween(min, max),
            2 => random.NextBetween(min, min + ((max - min) / 1_000)),
            3 => Math.Clamp(random.NextMagnitude(), min, max),
            _ => Values.Edges[random.Next(Values.Edges.Count)],
        })];
    }
}
