namespace Picollo.Export.Tests;

/// <summary>Tests histograms with explicit bounds, which are the default.</summary>
public sealed class ExplicitBucketTests : OtlpTests
{
    [Theory]
    [InlineData("http.server.request.duration", "seconds", 14, 0.005, 10)]
    [InlineData("queue.wait", "seconds", 28, 1e-6, 100)]
    [InlineData("httpx.duration", "seconds", 28, 1e-6, 100)]
    [InlineData("response.size", "bytes", 13, 64, 1_073_741_824)]
    [InlineData("items", "", 15, 0, 10_000)]
    public async Task The_default_bounds_depend_on_the_unit(string name, string unit, int count, double first, double last)
    {
        _registry.GetOrAdd(name, HdrHistogram.Create, new HdrHistogramDescription { Unit = new() { Name = unit } }).Record(1);

        double[] bounds = [.. (await ExportAsync()).Bounds!];

        (bounds.Length, bounds[0], bounds[^1]).Should().Be((count, first, last));
        bounds.Should().BeInAscendingOrder().And.OnlyHaveUniqueItems();
    }

    [Fact]
    public async Task A_bound_is_inclusive_and_the_last_bucket_has_the_values_above_it()
    {
        HdrHistogram histogram = _registry.GetOrAdd("x", () => HdrHistogram.Factory.WithSignificantDigits(3).Create(), HdrHistogramDescription.Nanoseconds);
        histogram.Record([0, 1_000, 1_001, 2_000, 2_001, 5_000_000_000]);

        OtlpDataPoint point = await ExportAsync(options => options.ExplicitBounds["x"] = [1e-6, 2e-6, 1]);

        point.Bounds.Should().Equal(1e-6, 2e-6, 1);
        point.Buckets.Should().Equal(new Dictionary<int, ulong> { [0] = 2, [1] = 2, [2] = 1, [3] = 1 });
        (point.Count, point.Min, point.Max!.Value).Should().Be((6, 0, histogram.GetPercentileValue(100) / 1e9));
    }

    [Fact]
    public void A_value_that_equals_a_bound_in_decimal_is_in_its_bucket()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        List<(int Bucket, ulong Count)> used = [];
        foreach (double ratio in new[] { 1, 1e3, 1e6, 1e9 })
        {
            for (ulong value = 1; value <= 1_000; value++)
            {
                histogram.Reset();
                histogram.Record([value, value + 1]);

                new ExplicitBounds(histogram, ratio, [value / ratio]).ReadUsed(histogram.GetCounts(), used);

                used.Should().Equal((0, 1), (1, 1)); // 2.4e-7 * 1e9 is below 240
            }
        }
    }

    [Fact]
    public async Task Histograms_of_different_names_and_units_have_their_own_bounds()
    {
        foreach ((string name, HdrHistogramDescription description) in new[]
        {
            ("a", HdrHistogramDescription.Nanoseconds), ("b", HdrHistogramDescription.None), ("c", HdrHistogramDescription.None),
        })
        {
            _registry.GetOrAdd(name, HdrHistogram.Create, description).Record([5, 5_000_000_000]);
        }

        OtlpExporter exporter = Exporter(options =>
        {
            options.UseExponentialHistograms = null;
            options.ExplicitBounds["a"] = options.ExplicitBounds["b"] = [1];
            options.ExplicitBounds["c"] = [10];
        });
        (await exporter.FlushAsync()).Should().BeTrue();

        _receiver.Points.Select(point => (point.Metric, point.Bounds!.Single(), point.Buckets.GetValueOrDefault(0), point.Buckets.GetValueOrDefault(1)))
            .Should().Equal(("a", 1, 1, 1), ("b", 1, 0, 2), ("c", 10, 1, 1));
    }

    [Fact]
    public async Task Values_out_of_range_are_in_the_buckets_of_its_limits()
    {
        _registry.GetOrAdd("x", () => HdrHistogram.Factory.WithMinTrackableValue(1_000).WithMaxTrackableValue(1_023).Create()).Record([1, 1_000, 1_023, 1_000_000]);

        OtlpDataPoint point = await ExportAsync(options => options.ExplicitBounds["x"] = [10, 999, 1_100, 5_000]);

        point.Buckets.Should().Equal(new Dictionary<int, ulong> { [1] = 1, [2] = 2, [4] = 1 });
        (point.Min, point.Max).Should().Be((null, null));
    }

    [Theory]
    [InlineData(new double[0], new[] { 3 })]
    [InlineData(new[] { -1.0 }, new[] { 0, 3 })]
    [InlineData(new[] { 0.0 }, new[] { 1, 2 })]
    [InlineData(new[] { 1e300 }, new[] { 3, 0 })]
    public async Task Bounds_may_be_outside_of_all_values(double[] bounds, int[] counts)
    {
        _registry.GetOrAdd("x", HdrHistogram.Create).Record([0, 1, ulong.MaxValue]);

        OtlpDataPoint point = await ExportAsync(options => options.ExplicitBounds["x"] = bounds);

        point.Bounds.Should().Equal(bounds);
        counts.Select((_, bucket) => (int)point.Buckets.GetValueOrDefault(bucket)).Should().Equal(counts);
    }

    [Fact]
    public void A_count_at_a_bound_is_exact_up_to_the_relative_error() => Seeded.Run(2_000, random =>
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(random.Next(1, 4)).Create();
        double ratio = Math.Pow(10, random.Next(10));
        double[] bounds = [.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => (1L << random.Next(40)) * random.NextDouble() / ratio).Distinct().Order()];
        ulong[] values = [.. Enumerable.Range(0, 200).Select(_ => (ulong)random.NextInt64(1L << random.Next(1, 41)))];
        histogram.Record(values);
        List<(int Bucket, ulong Count)> used = [];

        new ExplicitBounds(histogram, ratio, bounds).ReadUsed(histogram.GetCounts(), used);

        double error = histogram.Layout.RelativeError;
        for (int i = 0; i < bounds.Length; i++)
        {
            ulong upTo = used.Where(bucket => bucket.Bucket <= i).Aggregate(0UL, (sum, bucket) => sum + bucket.Count);
            double limit = bounds[i] * ratio;
            upTo.Should().BeInRange((ulong)values.Count(value => value <= (limit * (1 - error)) - 1), (ulong)values.Count(value => value <= (limit * (1 + error)) + 1));
        }

        used.Aggregate(0UL, (sum, bucket) => sum + bucket.Count).Should().Be((ulong)values.Length);
    });

    [Fact]
    public async Task The_bounds_of_a_cumulative_and_of_a_delta_series_do_not_change()
    {
        HdrHistogram histogram = _registry.GetOrAdd("x", HdrHistogram.Create);
        foreach (bool isDelta in new[] { false, true })
        {
            OtlpExporter exporter = Exporter(options => (options.UseExponentialHistograms, options.UseDeltaTemporality) = (null, isDelta));
            histogram.Record(3, 2);
            (await exporter.FlushAsync()).Should().BeTrue();
            histogram.Record(10_001);
            (await exporter.FlushAsync()).Should().BeTrue();
        }

        OtlpDataPoint[] points = [.. _receiver.Points];
        points.Select(point => point.Bounds!.Count).Should().Equal(15, 15, 15, 15);
        points.Select(point => (point.Buckets.GetValueOrDefault(1), point.Buckets.GetValueOrDefault(15))).Should().Equal((2, 0), (2, 1), (4, 1), (0, 1));
        points.Select(point => point.Temporality).Should().Equal(2, 2, 1, 1);
    }

    private async Task<OtlpDataPoint> ExportAsync(Action<OtlpExportOptions>? configure = null)
    {
        OtlpExporter exporter = Exporter(options =>
        {
            options.UseExponentialHistograms = null;
            configure?.Invoke(options);
        });
        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
        return _receiver.Points.Single();
    }
}
