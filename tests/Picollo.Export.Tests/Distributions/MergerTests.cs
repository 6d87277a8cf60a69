namespace Picollo.Export.Tests;

public class MergerTests
{
    [Fact]
    public void The_result_equals_one_histogram_of_the_coarsest_precision() => Seeded.Run(100, random =>
    {
        const ulong Max = long.MaxValue;
        var merger = new HdrHistogramMerger();
        var values = new List<ulong>();
        double coarsest = 0;
        ulong unit = 1;
        for (int i = random.Next(1, 6); i > 0; i--)
        {
            HdrHistogram histogram = Variants.Next(random).WithMaxTrackableValue(Max).WithLowestDiscernibleValue(1UL << random.Next(12))
                .WithRelativeError(Math.Pow(10, -1 - (3 * random.NextDouble()))).Create();
            coarsest = Math.Max(coarsest, histogram.RelativeError);
            unit = Math.Max(unit, histogram.LowestDiscernibleValue);
            for (int n = random.Next(200); n > 0; n--)
            {
                ulong value = random.NextMagnitude() & Max;
                histogram.Record(value);
                values.Add(value);
            }

            merger.Add(histogram);
        }

        PlainHdrHistogram<ulong> all = HdrHistogram.Factory.WithRelativeError(coarsest).WithLowestDiscernibleValue(unit).WithMaxTrackableValue(Max).WithUInt64Storage().Create();
        all.Record(values.ToArray());
        merger.ToHistogram()!.BlockSize.Should().Be(all.BlockSize);
        merger.ToHistogram()!.Buckets.Should().Equal(all.Buckets);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_range_is_the_widest_and_out_of_range_counts_remain(bool highFirst)
    {
        HdrHistogram low = HdrHistogram.Factory.WithMinTrackableValue(10_000).WithMaxTrackableValue(20_000).Create();
        HdrHistogram high = HdrHistogram.Factory.WithMinTrackableValue(15_000).WithMaxTrackableValue(1_000_000).WithRelativeError(0.01).Create();
        low.Record([1, 12_000, 500_000]);
        high.Record([1, 12_000, 500_000, 2_000_000]);

        var merger = new HdrHistogramMerger();
        merger.ToHistogram().Should().BeNull();
        merger.Add(highFirst ? high : low);
        merger.Add(highFirst ? low : high);

        PlainHdrHistogram<ulong> merged = merger.ToHistogram()!;
        (merged.MinTrackableValue, merged.MaxTrackableValue, merged.BlockSize).Should().Be((10_000, 1_000_000, 64));
        (merged.TotalCount, merged.UnderflowCount, merged.OverflowCount).Should().Be((2, 3, 5));
        merged.GetCountBetween(12_000, 12_000).Should().Be(1);
        merged.GetCountBetween(500_000, 500_000).Should().Be(1);
    }

    [Theory]
    [InlineData(0.000_001)]
    [InlineData(0.1)]
    public void The_finest_and_the_coarsest_precision_are_merged(double relativeError)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(relativeError).WithMaxTrackableValue(10_000_000).Create();
        histogram.Record(9_999_999);
        var merger = new HdrHistogramMerger();
        merger.Add(histogram);
        merger.Add(histogram);
        merger.ToHistogram()!.BlockSize.Should().Be(histogram.BlockSize);
        merger.ToHistogram()!.BucketsWithValues.Single().Start.Should().Be(histogram.BucketsWithValues.Single().Start);
        merger.ToHistogram()!.TotalCount.Should().Be(2);
    }

    [Theory]
    [InlineData(0.001, false)]
    [InlineData(0.01, false)]
    [InlineData(0.001, true)]
    public void A_total_above_2_to_the_64_is_rejected_and_nothing_is_added(double relativeError, bool outOfRange)
    {
        HdrHistogram Of(double error, ulong value, ulong count)
        {
            HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(error).WithMinTrackableValue(1).WithMaxTrackableValue(1000).Create();
            histogram.Record(outOfRange ? 1_000_000 * value : value, count);
            return histogram;
        }

        var merger = new HdrHistogramMerger();
        merger.Add(Of(0.001, 7, ulong.MaxValue - 5));
        merger.Add(Of(0.001, 8, 4));
        PlainHdrHistogram<ulong> before = merger.ToHistogram()!;
        merger.Invoking(each => each.Add(Of(relativeError, 9, 2))).Should().Throw<OverflowException>().WithMessage("*2^64*");
        merger.ToHistogram()!.Buckets.Should().Equal(before.Buckets);
        (before.TotalCount + before.OverflowCount).Should().Be(ulong.MaxValue - 1);
        merger.Add(Of(0.001, 9, 1));
        PlainHdrHistogram<ulong> after = merger.ToHistogram()!;
        (after.TotalCount + after.OverflowCount).Should().Be(ulong.MaxValue);
    }

    [Fact]
    public void A_histogram_with_a_total_above_2_to_the_64_is_rejected()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(1, ulong.MaxValue);
        histogram.Record(2, 2);
        var merger = new HdrHistogramMerger();
        merger.Invoking(each => each.Add(histogram)).Should().Throw<OverflowException>();
        merger.ToHistogram().Should().BeNull();

        HdrHistogram outside = HdrHistogram.Factory.WithMinTrackableValue(10).WithMaxTrackableValue(1000).Create();
        outside.Record(1, ulong.MaxValue);
        outside.Record(1_000_000, 1);
        merger.Invoking(each => each.Add(outside)).Should().Throw<OverflowException>();
        merger.ToHistogram().Should().BeNull();
    }

    [Fact]
    public void A_result_does_not_change_when_more_is_added()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMinTrackableValue(2).WithMaxTrackableValue(1000).Create();
        histogram.Record([1, 5, 5000]);
        var merger = new HdrHistogramMerger();
        merger.Add(histogram);
        PlainHdrHistogram<ulong> first = merger.ToHistogram()!;
        merger.Add(histogram);
        merger.ToHistogram()!.Record(7);

        (first.TotalCount, first.UnderflowCount, first.OverflowCount).Should().Be((1, 1, 2));
        PlainHdrHistogram<ulong> second = merger.ToHistogram()!;
        (second.TotalCount, second.UnderflowCount, second.OverflowCount).Should().Be((2, 2, 4));
        (second.MinTrackableValue, second.MaxTrackableValue).Should().Be((histogram.MinTrackableValue, histogram.MaxTrackableValue));
        merger.Add(second);
        merger.ToHistogram()!.TotalCount.Should().Be(4, "a result can be added to its own merger");
    }

    [Fact]
    public void Encoded_data_adds_its_values_and_damaged_data_nothing()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(1_000_000).Create();
        histogram.Record([7, 500_000]);
        var merger = new HdrHistogramMerger();
        merger.Add(HdrHistogramEncoding.Encode(histogram));
        merger.Add(HdrHistogramEncoding.EncodeCompressed(histogram));
        merger.Invoking(each => each.Add([1, 2, 3])).Should().Throw<HdrHistogramFormatException>();
        merger.Invoking(each => each.Add((ReadOnlyHdrHistogram)null!)).Should().Throw<ArgumentNullException>();
        histogram.Record([7, 500_000]);
        merger.ToHistogram()!.BucketsWithValues.Should().Equal(histogram.BucketsWithValues);
    }
}
