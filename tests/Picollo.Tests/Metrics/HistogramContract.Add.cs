using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Add.</content>
public abstract partial class HistogramContract
{
    [Fact]
    public void Add_equals_recording_all_values_in_one_histogram() => Seeded.Run(20, random =>
    {
        HdrHistogram one = CreateNarrow();
        HdrHistogram other = CreateNarrow();
        HdrHistogram all = CreateNarrow();
        for (int i = 0; i < 500; i++)
        {
            ulong value = NextInOrAroundRange(random);
            ulong count = random.Next(50) == 0 ? Whole + 3 : 1;
            (random.Next(2) == 0 ? one : other).Record(value, count);
            all.Record(value, count);
        }

        one.Add(other);

        ShouldHaveEqualCounts(one, all);
    });

    [Fact]
    public void Adding_the_counts_of_buckets_equals_adding_their_histogram() => Seeded.Run(30, random =>
    {
        HdrHistogram one = random.Next(2) == 0 ? CreateNarrow() : Factory.WithRelativeError(0.003).Create();
        HdrHistogram other = HdrHistogram.Factory.WithLayoutOf(one).Create();
        HdrHistogram source = (random.Next(2) == 0
            ? HdrHistogram.Factory.WithRelativeError(0.1 / random.Next(1, 200)).WithLowestDiscernibleValue(1UL << random.Next(12))
            : HdrHistogram.Factory.WithRelativeError(one.RelativeError)).Create();
        for (int i = 0; i < 500; i++)
        {
            source.Record(NextInOrAroundRange(random) << random.Next(3), random.Next(50) == 0 ? Whole + 3 : 1);
        }

        using HdrHistogramCounts counts = source.GetCounts();
        one.AddCounts(counts.Layout, counts.FirstIndex, counts.AsSpan());
        other.Add(source);

        ShouldHaveEqualCounts(one, other);
    });

    [Fact]
    public void Counts_of_buckets_that_do_not_exist_are_rejected()
    {
        HdrHistogram histogram = Factory.Create();
        int last = histogram.Layout.GetIndex(ulong.MaxValue);

        foreach ((HdrHistogramLayout layout, int index) in new[] { (histogram.Layout, -1), (histogram.Layout, last), (default, 64), (default, int.MaxValue) })
        {
            histogram.Invoking(h => h.AddCounts(layout, index, [1, 1])).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("index");
        }

        histogram.AddCounts(histogram.Layout, last, [7]);
        histogram.AddCounts(histogram.Layout, -1, []);
        histogram.BucketsWithValues.Should().ContainSingle().Which.Should().Match<Bucket>(bucket => bucket.End == ulong.MaxValue && bucket.Count == 7);
        histogram.Dispose();
        histogram.Invoking(h => h.AddCounts(default, 0, [])).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void Two_threads_can_add_two_histograms_to_each_other()
    {
        HdrHistogram[] pair = [CreateNarrow(), CreateNarrow()];
        const ulong Full = (1UL << 31) - 1; // each addition needs a carry, which takes a lock
        Array.ForEach(pair, histogram => histogram.Record(20_000, Full));
        using Barrier both = new(2);
        Thread[] threads = [.. Enumerable.Range(0, 2).Select(i => new Thread(() =>
        {
            for (int round = 0; round < 50; round++)
            {
                both.SignalAndWait();
                pair[i].Add(pair[1 - i]);
            }
        }) { IsBackground = true })];
        Array.ForEach(threads, thread => thread.Start());

        threads.Should().OnlyContain(thread => thread.Join(TimeSpan.FromMinutes(1)), "neither thread waits for the other");
        pair[0].GetBucket(20_000).Count.Should().BeGreaterThan(Full);
    }

    [Fact]
    public void Every_variant_can_be_added()
    {
        HdrHistogram sum = CreateNarrow();
        foreach (HdrHistogramFactory factory in Variants.Factories.Values)
        {
            HdrHistogram other = factory.WithRelativeError(0.01).Create();
            other.Record(20_000, 10);
            sum.Add(other);
        }

        sum.GetBucket(20_000).Count.Should().Be(60);
    }

    [Fact]
    public void Add_of_any_layout_and_range_assigns_buckets_by_their_midpoint() => Seeded.Run(40, random =>
    {
        double[] errors = [0.1, 0.03, 0.01, 0.001, 0.0002];
        HdrHistogram other = WithAnyRange(random, HdrHistogram.Factory.WithRelativeError(errors[random.Next(5)])
            .WithLowestDiscernibleValue(1UL << random.Next(30))).Create();
        for (int i = 0; i < 300; i++)
        {
            other.Record(random.NextMagnitude(), random.Next(20) == 0 ? Whole + 3 : (ulong)random.Next(1, 5));
        }

        foreach (Bucket bucket in other.Buckets.Skip(random.Next(3000)).Take(700))
        {
            other.Record(bucket.Start, (ulong)random.Next(4)); // more buckets than are added at once
        }

        HdrHistogramFactory layout = Factory.WithRelativeError(errors[random.Next(5)]).WithLowestDiscernibleValue(1UL << random.Next(12));
        HdrHistogram all = layout.Create();
        HdrHistogramFactory factory = WithAnyRange(random, layout);
        HdrHistogram sum = factory.Create(), expected = factory.Create();
        sum.Record(1, 7); // another page of counters, or out of range
        expected.Record(1, 7);
        ulong turn = 0;
        foreach (Bucket bucket in other.BucketsWithValues)
        {
            ulong width = all.GetBucket(bucket.Midpoint).Step;
            ulong below = width == 1 || width >= bucket.Step ? 0 : (bucket.Count + turn) / 2;
            if (below != 0 && all.GetBucket(bucket.Midpoint - 1).Step is > 1 and var lower && lower < width)
            {
                below = (ulong)Math.Round(bucket.Count * 2 / 3m);
            }
            else
            {
                turn ^= width < bucket.Step ? bucket.Count % 2 : 0;
            }

            expected.Record(bucket.Midpoint - (below == 0 ? 0 : 1UL), below);
            expected.Record(bucket.Midpoint, bucket.Count - below);
        }

        sum.Add(other);

        sum.BucketsWithValues.Should().Equal(expected.BucketsWithValues);
        sum.UnderflowCount.Should().Be(expected.UnderflowCount + other.UnderflowCount);
        sum.OverflowCount.Should().Be(expected.OverflowCount + other.OverflowCount);

        static HdrHistogramFactory WithAnyRange(Random random, HdrHistogramFactory factory) => random.Next(2) == 0
            ? factory
            : factory.WithMinTrackableValue(random.NextMagnitude() >> 40).WithMaxTrackableValue((1UL << 41) + (random.NextMagnitude() >> 1));
    });

    [Fact]
    public void Add_rejects_itself_and_null()
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.Record(20_000);

        histogram.Invoking(h => h.Add(h)).Should().Throw<ArgumentException>().WithParameterName("other").WithMessage("*snapshot*");
        histogram.Invoking(h => h.Add(null!)).Should().Throw<ArgumentNullException>().WithParameterName("other");
        histogram.TotalCount.Should().Be(1);
    }
}
