using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Memory: the size of a histogram, and calls without allocations.</content>
public abstract partial class HistogramContract
{
    private const ulong OneHour = 3_600_000_000_000;

    [Theory]
    [InlineData(0.01, OneHour, 9_600)]
    [InlineData(0.0005, 7_716_549_600, 97_652)] // three significant digits
    [InlineData(0.0005, long.MaxValue, 221_364)]
    public void A_footprint_is_within_its_budget_and_reads_do_not_increase_it(double relativeError, ulong max, long budget)
    {
        HdrHistogram histogram = Factory.WithRelativeError(relativeError).WithMaxTrackableValue(max).WithUInt32Storage().Create();
        histogram.Record([0, 1_000, 20_000, ulong.MaxValue]);
        long empty = histogram.FootprintInBytes;

        histogram.GetSummary();
        histogram.GetPercentile(50);
        _ = histogram.BucketPercentiles.Count();

        histogram.FootprintInBytes.Should().Be(empty);
        histogram.Reset();
        long baseline = histogram.Buckets.Count() * sizeof(ulong);
        histogram.FootprintInBytes.Should().BeGreaterThanOrEqualTo(empty + baseline, "the first reset adds it");
        empty.Should().BeLessThanOrEqualTo(budget * ParallelCounters);
    }

    [Theory]
    [InlineData(0.000001, 0, 100, 2_000)]
    [InlineData(0.00001, 0, 1_000, 10_000)]
    [InlineData(0.000001, 1UL << 40, (1UL << 40) + 100_000_000, 2_000)]
    public void A_range_much_smaller_than_its_octave_has_only_its_own_counters(double relativeError, ulong min, ulong max, long budget)
    {
        HdrHistogram histogram = Factory.WithRelativeError(relativeError).WithMinTrackableValue(min).WithMaxTrackableValue(max).Create();

        histogram.Record(min);
        histogram.Record([max, max, max * 2, max + 1_100_000]);
        histogram.Record(min / 2, min == 0 ? 0UL : 5);

        histogram.TotalCount.Should().Be(3);
        histogram.GetPercentile(100).GetValue(EquivalentValueSelection.UpperBound).Should().BeGreaterThanOrEqualTo(max);
        histogram.OverflowCount.Should().Be(min == 0 ? 2UL : 7);
        histogram.UnderflowCount.Should().Be(min == 0 ? 0UL : 5);
        histogram.FootprintInBytes.Should().BeLessThan(budget * ParallelCounters);
    }

    [Fact]
    public void A_footprint_equals_the_allocations_of_creation_and_the_first_record()
    {
        HdrHistogramFactory factory = Factory.WithRelativeError(0.01);
        factory.Create().Record(5); // assigns a number to the thread
        long before = GC.GetAllocatedBytesForCurrentThread();

        HdrHistogram histogram = factory.Create();
        histogram.Record(5);

        // The objects are not counted, and neither are the arrays of threads, which the first record replaces.
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        histogram.FootprintInBytes.Should().BeLessThanOrEqualTo(allocated).And.BeGreaterThan(allocated - 512);
    }

    [Fact]
    public void Calls_in_steady_state_do_not_allocate()
    {
        HdrHistogram histogram = CreateNarrow();
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSummary summary = new();
        double[] ranks = [1, 50, 99, 99.9];
        Percentile[] percentiles = new Percentile[ranks.Length];
        ulong[] values = [1, 10_000, 20_000, 20_000, 30_000, 40_000, 20_000, 20_000, 20_001, 20_002];
        histogram.Reset(); // the first one allocates the baseline

        (string Name, Action Use)[] uses =
        [
            ("Record", () => histogram.Record(20_000)),
            ("Record out of range", () => histogram.Record(1)),
            ("Record with a count", () => histogram.Record(20_000, 10)),
            ("Record a span", () => histogram.Record(values)),
            ("RecordCorrected", () => histogram.RecordCorrected(20_000, 100)),
            ("Reset", histogram.Reset),
            ("TotalCount", () => _ = histogram.TotalCount),
            ("OverflowCount", () => _ = histogram.OverflowCount),
            ("GetSummary", () => histogram.GetSummary(summary)),
            ("GetPercentiles", () => histogram.GetPercentiles(ranks, percentiles)),
            ("GetPercentileValue", () => histogram.GetPercentileValue(50)),
            ("GetBucket", () => histogram.GetBucket(20_000)),
            ("GetPercentileRank", () => histogram.GetPercentileRank(20_000)),
            ("GetCountBetween", () => histogram.GetCountBetween(0, 20_000)),
            ("snapshot.Update", () => snapshot.Update()),
            ("snapshot.Update with deltas", () => snapshot.Update(deltas: true)),
            ("snapshot.GetSummary", () => snapshot.GetSummary(summary)),
            ("scopes", () => RecordScopes(histogram)),
        ];
        foreach ((string name, Action use) in uses)
        {
            Allocations.InSteadyState(use).Should().Be(0, name);
        }
    }

    // A thread-local histogram has the counters of one thread here. The same amount again is allowed for the rest.
    private int ParallelCounters => Factory is ThreadLocalHdrHistogramFactory<uint> or ThreadLocalHdrHistogramFactory<ulong> ? 2 : 1;

    private static void RecordScopes(HdrHistogram histogram)
    {
        using (histogram.GetTickScope())
        using (histogram.GetNanoScope())
        using (histogram.GetMicroScope())
        using (histogram.GetMilliScope())
        using (histogram.GetPicoScope())
        {
            Thread.SpinWait(1);
        }
    }
}
