using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Use after Dispose.</content>
public abstract partial class HistogramContract
{
    private static readonly (string Name, Action<HdrHistogram> Use)[] Uses =
    [
        ("Record", h => h.Record(20_000)),
        ("Record out of range", h => h.Record(1)),
        ("Record with a count", h => h.Record(20_000, 3)),
        ("Record with a count out of range", h => h.Record(1, 3)),
        ("Record with a count of 0", h => h.Record(20_000, 0)),
        ("Record a span of one value", h => h.Record([20_000])),
        ("Record a span of many values", h => h.Record(new ulong[LongestBatch])),
        ("Record an empty span", h => h.Record([])),
        ("RecordInRange", h => h.RecordInRange(20_000, 0, ulong.MaxValue)),
        ("RecordInRange out of range", h => h.RecordInRange(5, 10, 20)),
        ("RecordCorrected", h => h.RecordCorrected(20_000, 1_000)),
        ("RecordCorrected without an interval", h => h.RecordCorrected(20_000, 0)),
        ("Add", h => h.Add(One([20_000]))),
        ("Add only values out of range", h => h.Add(One([1]))),
        ("Add an empty histogram", h => h.Add(One([]))),
        ("Reset", h => h.Reset()),
        ("GetSnapshot", h => h.GetSnapshot()),
        ("GetSummary", h => h.GetSummary()),
        ("GetSummary into a reused summary", h => h.GetSummary(new HdrHistogramSummary())),
        ("GetPercentile", h => h.GetPercentile(50)),
        ("GetPercentileValue", h => h.GetPercentileValue(50)),
        ("GetPercentiles", h => h.GetPercentiles([50], new Percentile[1])),
        ("GetPercentileValues", h => h.GetPercentileValues([50], new ulong[1])),
        ("GetBucket", h => h.GetBucket(20_000)),
        ("GetPercentileRank", h => h.GetPercentileRank(20_000)),
        ("GetCountBetween", h => h.GetCountBetween(1, 2)),
        ("Buckets", h => h.Buckets.Count()),
        ("BucketsWithValues", h => h.BucketsWithValues.Count()),
        ("BucketPercentiles", h => h.BucketPercentiles.Count()),
        ("BucketPercentilesWithValues", h => h.BucketPercentilesWithValues.Count()),
        ("TotalCount", h => h.TotalCount.Equals(0UL)),
        ("OverflowCount", h => h.OverflowCount.Equals(0UL)),
        ("UnderflowCount", h => h.UnderflowCount.Equals(0UL)),
        ("Add a disposed histogram", h => HdrHistogram.Factory.Create().Add(h)),
    ];

    public static TheoryData<string> UseNames => [.. Uses.Select(each => each.Name)];

    [Theory]
    [MemberData(nameof(UseNames))]
    public void A_use_after_dispose_throws(string name)
    {
        Action<HdrHistogram> use = Uses.Single(each => each.Name == name).Use;
        HdrHistogram histogram = CreateNarrow();
        use(histogram); // works before
        histogram.Dispose();
        histogram.Dispose();

        histogram.Invoking(use).Should().Throw<ObjectDisposedException>();
        (histogram.MinTrackableValue, histogram.MaxTrackableValue, histogram.FootprintInBytes > 0).Should().Be((Min, Max, true));
    }

    [Fact]
    public void A_record_of_a_new_thread_after_dispose_throws()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Dispose();

        NewThread.Run(() => histogram.Invoking(h => h.Record(20_000)).Should().Throw<ObjectDisposedException>());
    }

    private static readonly string[] ScopeNames = ["tick", "nano", "micro", "milli", "pico"];

    [Fact]
    public void A_scope_of_a_disposed_histogram_keeps_the_exception_of_its_block_and_can_end_on_a_new_thread()
    {
        foreach (string scope in ScopeNames)
        {
            HdrHistogram histogram = CreateNarrow();
            FluentActions.Invoking(() =>
            {
                using (ScopeTests.Scope(histogram, scope))
                {
                    histogram.Dispose();
                    throw new InvalidOperationException("the real one");
                }
            }).Should().Throw<InvalidOperationException>().WithMessage("the real one");
            NewThread.Run(() => ScopeTests.Scope(histogram, scope).Dispose());
        }
    }

    [Fact]
    public void Scopes_record_into_every_variant_within_and_outside_the_range()
    {
        HdrHistogram wide = CreateWide();
        HdrHistogram narrow = Factory.WithRelativeError(0.01).WithMinTrackableValue(ulong.MaxValue / 2).Create();
        foreach (string scope in ScopeNames)
        {
            ScopeTests.Scope(wide, scope).Dispose();
            ScopeTests.Scope(narrow, scope).Dispose();
        }

        (wide.TotalCount, wide.OverflowCount).Should().Be((5, 0));
        (narrow.TotalCount, narrow.UnderflowCount).Should().Be((0, 5));
    }

    private static PlainHdrHistogram<uint> One(ReadOnlySpan<ulong> values)
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory
            .WithRelativeError(0.01).WithMinTrackableValue(Min).WithMaxTrackableValue(Max).Create();
        histogram.Record(values);
        return histogram;
    }
}
