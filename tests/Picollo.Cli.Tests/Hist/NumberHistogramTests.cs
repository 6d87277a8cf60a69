using Picollo.Cli.Hist;
using Picollo.Metrics;

namespace Picollo.Cli.Tests.Hist;

public class NumberHistogramTests
{
    private const double RelativeError = 0.5 / 512;

    [Fact]
    public void Whole_numbers_are_recorded_exactly() => Seeded.Run(100, random =>
    {
        ulong[] numbers = [.. Enumerable.Range(0, random.Next(5_000)).Select(_ => AnyWhole(random))];
        HdrHistogram expected = HdrHistogram.Create();
        expected.Record(numbers);
        NumberHistogram histogram = new();

        histogram.Record(numbers);

        histogram.Places.Should().Be(0);
        CountsOf(histogram).Should().Equal(CountsOf(expected));
    });

    [Fact]
    public void Fractions_keep_the_guaranteed_precision() => Seeded.Run(200, random =>
    {
        // The range in which the precision is guaranteed for all numbers.
        double scale = Math.ScaleB(1, random.Next(-9, 63));
        double[] numbers = [.. Enumerable.Range(0, 1 + random.Next(50)).Select(_ => Math.ScaleB(1 + random.NextDouble(), random.Next(-53, 0)) * scale)];
        NumberHistogram histogram = new();

        Array.ForEach(numbers, number => histogram.Record(number));

        Array.Sort(numbers);
        double unit = Math.ScaleB(1, -histogram.Places);
        double[] values = [.. histogram.Histogram.BucketsWithValues.SelectMany(
            bucket => Enumerable.Repeat((bucket.Start + (bucket.Step / 2)) * unit, (int)bucket.Count))];
        for (int i = 0; i < numbers.Length; i++)
        {
            if (numbers[i] >= Math.ScaleB(1, -53)) // the unit is at least 2⁻⁶³
            {
                values[i].Should().BeInRange(numbers[i] * (1 - RelativeError), numbers[i] * (1 + RelativeError));
            }
        }
    });

    [Fact]
    public void Order_and_batches_do_not_change_the_result() => Seeded.Run(300, random =>
    {
        object[] numbers = [.. Enumerable.Range(0, 1 + random.Next(60)).Select(_ => random.Next(3) == 0 ? AnyFraction(random) : (object)AnyWhole(random))];
        NumberHistogram first = new();
        NumberHistogram second = new();

        RecordAll(first, numbers);
        random.Shuffle(numbers);
        RecordAll(second, numbers, batch: 1 + random.Next(20));

        second.Places.Should().Be(first.Places);
        CountsOf(second).Should().Equal(CountsOf(first));
    });

    [Theory]
    [InlineData(0.0123, 17)] // 0.0123 · 2¹⁷ is in [1024, 2048)
    [InlineData(1.5, 10)]
    [InlineData(1023.5, 1)]
    [InlineData(1024.5, 0)]
    [InlineData(1e-300, 63)]
    public void The_unit_is_fine_enough_for_the_smallest_number(double number, int places)
    {
        NumberHistogram histogram = new();

        histogram.Record(number);

        histogram.Places.Should().Be(places);
    }

    [Fact]
    public void The_largest_number_limits_the_unit()
    {
        NumberHistogram histogram = new();
        histogram.Record([3UL, 5UL]);
        histogram.Record(0.0123);
        histogram.Record([ulong.MaxValue, 7UL]);

        histogram.Places.Should().Be(0);
        CountsOf(histogram).Should().Equal((0, 1), (3, 1), (5, 1), (7, 1), (ulong.MaxValue - (ulong.MaxValue >> 10), 1));
    }

    [Fact]
    public void Counts_are_kept_when_the_unit_changes()
    {
        NumberHistogram histogram = new();
        histogram.Record(7, 5_000_000_000);
        histogram.Record(0.5, 3);
        histogram.Record(1UL << 63);

        histogram.Histogram.TotalCount.Should().Be(5_000_000_004);
        histogram.Places.Should().Be(0);
        CountsOf(histogram).Should().Equal((0, 3), (7, 5_000_000_000), (1UL << 63, 1));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20)]
    public void Rescaling_to_a_finer_unit_and_back_changes_nothing(int places) => Seeded.Run(50, random =>
    {
        // A histogram with five digits takes as long as dozens of others.
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(random.Next(20) == 0 ? 5 : 1 + random.Next(4)).Create();
        histogram.Record([.. Enumerable.Range(0, 100).Select(_ => AnyWhole(random) >> 20)]);

        HdrHistogram finer = NumberHistogram.Rescale(histogram, places);

        finer.RelativeError.Should().Be(histogram.RelativeError);
        CountsOf(NumberHistogram.Rescale(finer, -places)).Should().Equal(CountsOf(histogram));
        finer.GetPercentileValue(100).Should().BeInRange(histogram.GetPercentileValue(100) << places, (histogram.GetPercentileValue(100) + 1) << places);
    });

    [Fact]
    public void A_histogram_with_the_finest_precision_can_be_rescaled()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.000001).Create();
        histogram.Record(12_345_678);

        NumberHistogram.Rescale(histogram, 3).BlockSize.Should().Be(histogram.BlockSize);
    }

    private static void RecordAll(NumberHistogram histogram, object[] numbers, int batch = 1)
    {
        foreach (object[] some in numbers.Chunk(batch))
        {
            histogram.Record([.. some.OfType<ulong>()]);
            Array.ForEach([.. some.OfType<double>()], number => histogram.Record(number));
        }
    }

    private static ulong AnyWhole(Random random) => random.Next(10) == 0 ? 0 : (ulong)random.NextInt64() >> random.Next(63);

    private static double AnyFraction(Random random) => Math.ScaleB(random.NextDouble(), random.Next(-40, 30));

    private static (ulong Start, ulong Count)[] CountsOf(NumberHistogram histogram) => CountsOf(histogram.Histogram);

    private static (ulong Start, ulong Count)[] CountsOf(HdrHistogram histogram) =>
        [.. histogram.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count))];
}
