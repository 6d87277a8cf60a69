namespace Picollo.Export.Tests;

public class PrometheusBoundsTests
{
    private static readonly PrometheusWriter Octaves = new(0.5);

    [Theory]
    [InlineData(0, 1000, 0, 200, "0.0 1.0 3.0 7.0 15.0 31.0 63.0 127.0 255.0 +Inf")] // one bucket per octave is the coarsest resolution
    [InlineData(0, 1000, 1, 3, "0.0 1.0 3.0 +Inf")] // values below the lowest bound have a separate bound
    [InlineData(100, 900, 0, 2000, "99.0 127.0 255.0 511.0 900.0 +Inf")] // a range that starts or ends within a bucket splits it
    [InlineData(0, 1000, 100, 300, "63.0 127.0 255.0 511.0 +Inf")] // the bounds of the description are widened to whole buckets
    [InlineData(0, 100, 1000, 2000, "+Inf")] // no value is recordable between the bounds
    [InlineData(1000, 2000, 0, 100, "+Inf")]
    [InlineData(0, 10, 0, 30, "0.0 1.0 3.0 7.0 10.0 +Inf")] // one writer for all, which caches bounds
    [InlineData(0, 20, 0, 30, "0.0 1.0 3.0 7.0 15.0 20.0 +Inf")]
    [InlineData(5, 20, 0, 30, "4.0 7.0 15.0 20.0 +Inf")]
    public void Bounds_depend_on_the_range_of_the_histogram_and_on_its_description(ulong min, ulong max, ulong low, ulong high, string bounds) =>
        string.Join(' ', Bounds(Octaves, Histogram(min, max), low, high)).Should().Be(bounds);

    [Fact]
    public void No_bound_splits_a_bucket_of_a_unit()
    {
        HdrHistogram unit = HdrHistogram.Factory.WithLowestDiscernibleValue(8).WithMaxTrackableValue(1000).Create();
        Bounds(Octaves, unit, 0, 100).Should().Equal("7.0", "15.0", "31.0", "63.0", "127.0", "+Inf");
        Bounds(Octaves, Histogram(0, 1000), 0, 10).Should().Equal(["0.0", "1.0", "3.0", "7.0", "15.0", "+Inf"], "the writer caches the bounds of each layout");
        unit.Record([0, 9, 17, 63, 64]);
        Expositions.Series(Octaves, new HdrHistogramRegistration("x", unit, new() { LowestBound = 0, HighestBound = 100 })).Single().Buckets
            .Select(bucket => bucket.Count).Should().Equal(1, 2, 3, 4, 5, 5);
    }

    [Fact]
    public void The_largest_values_have_bounds_too()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(ulong.MaxValue);
        histogram.Record(1UL << 63);
        ExpositionSeries series = Expositions.Series(Octaves, Of(histogram, 1UL << 62, ulong.MaxValue, 1)).Single();

        series.Buckets.Select(bucket => (bucket.Text, bucket.Count)).Should().Equal(
            ("4.611686018427388e+18", 0), ("9.223372036854776e+18", 0), ("1.8446744073709552e+19", 2), ("+Inf", 2));
    }

    [Fact]
    public void Histograms_with_different_descriptions_have_different_bounds()
    {
        HdrHistogram histogram = Histogram(0, 1000);
        (ulong Low, ulong High, double Ratio, string Bounds)[] kinds =
        [
            (0, 3, 1, "0.0 1.0 3.0 +Inf"), (0, 3, 2, "0.0 0.5 1.5 +Inf"), (2, 3, 1, "1.0 3.0 +Inf"), (0, 7, 1, "0.0 1.0 3.0 7.0 +Inf"), (0, 3, 1, "0.0 1.0 3.0 +Inf"),
        ];

        Expositions.Series(Octaves, [.. kinds.Select((kind, i) => Of(histogram, kind.Low, kind.High, kind.Ratio, $"x{i}"))])
            .Select(series => string.Join(' ', series.Buckets.Select(bucket => bucket.Text))).Should().Equal(kinds.Select(kind => kind.Bounds));
    }

    private static PlainHdrHistogram<uint> Histogram(ulong low, ulong high) => HdrHistogram.Factory.WithMinTrackableValue(low).WithMaxTrackableValue(high).Create();

    private static IEnumerable<string> Bounds(PrometheusWriter writer, HdrHistogram histogram, ulong low, ulong high) =>
        Expositions.Series(writer, Of(histogram, low, high, 1)).Single().Buckets.Select(bucket => bucket.Text);

    private static HdrHistogramRegistration Of(HdrHistogram histogram, ulong low, ulong high, double ratio, string name = "x") =>
        new(name, histogram, new HdrHistogramDescription { LowestBound = low, HighestBound = high, Unit = new() { Ratio = ratio } });
}
