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

    [Fact]
    public void The_unit_is_fine_enough_for_the_smallest_number()
    {
        ((double[])[0.0123, 1.5, 1023.5, 1024.5, 1e-300]).Select(PlacesOf)
            .Should().Equal([17, 10, 1, 0, 63], "0.0123 · 2¹⁷ is in [1024, 2048)");

        static int PlacesOf(double number)
        {
            NumberHistogram histogram = new();
            histogram.Record(number);
            return histogram.Places;
        }
    }

    [Fact]
    public void The_largest_number_limits_the_unit_and_counts_are_kept()
    {
        NumberHistogram histogram = new();
        histogram.Record([3UL, 5UL]);
        histogram.Record(7, 5_000_000_000);
        histogram.Record(0.0123);
        histogram.Record(0.5, 3);
        histogram.Record([ulong.MaxValue, 7UL]);

        histogram.Places.Should().Be(0);
        CountsOf(histogram).Should().Equal((0, 4), (3, 1), (5, 1), (7, 5_000_000_001), (ulong.MaxValue - (ulong.MaxValue >> 10), 1));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20)]
    public void Rescaling_to_a_finer_unit_and_back_changes_nothing(int places) => Seeded.Run(50, random =>
    {
        // Histograms with the finest precision take as long as dozens of others.
        HdrHistogram histogram = (random.Next(20) == 0 ? HdrHistogram.Factory.WithRelativeError(0.000001) : HdrHistogram.Factory.WithSignificantDigits(1 + random.Next(4))).Create();
        histogram.Record([.. Enumerable.Range(0, 100).Select(_ => AnyWhole(random) >> 20)]);

        HdrHistogram finer = NumberHistogram.Rescale(histogram, places);

        finer.RelativeError.Should().Be(histogram.RelativeError);
        CountsOf(NumberHistogram.Rescale(finer, -places)).Should().Equal(CountsOf(histogram));
        finer.GetPercentileValue(100).Should().BeInRange(histogram.GetPercentileValue(100) << places, (histogram.GetPercentileValue(100) + 1) << places);
    });

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
