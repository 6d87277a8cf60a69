namespace Picollo.Export.Tests;

public class PrometheusPropertyTests
{
    // Numbers up to this limit are restored exactly from the decimal of a bound, even if they are divided by a ratio.
    private const ulong LargestExact = 1UL << 48;

    [Fact]
    public void Each_bound_counts_exactly_the_values_at_or_below_it() => Seeded.Run(200, random =>
    {
        (HdrHistogramRegistration registration, double asked) = Next(random);
        HdrHistogram histogram = registration.Histogram;
        HdrHistogramDescription description = registration.Description;
        PrometheusWriter writer = new(asked);
        string[] emptyBounds = [.. Expositions.Series(writer, registration).Single().Buckets.Select(bucket => bucket.Text)];
        List<ulong> values = [.. Enumerable.Range(0, random.Next(300)).Select(_ => random.NextMagnitude() >> 16)];
        values.AddRange(emptyBounds[..^1].SelectMany(text =>
        {
            ulong bound = BoundOf(double.Parse(text, CultureInfo.InvariantCulture), description);
            return new[] { bound, bound + 1 };
        }).Where(_ => random.Next(2) == 0));
        values.ForEach(histogram.Record);

        ExpositionSeries series = Expositions.Series(writer, registration).Single();

        series.Buckets.Select(bucket => bucket.Text).Should().Equal(emptyBounds, "bounds do not depend on the recorded values");
        series.Count.Should().Be((ulong)values.Count);
        double error = Math.Max(asked, histogram.RelativeError);
        ulong[] bounds = [.. series.Buckets[..^1].Select(bucket => BoundOf(bucket.Bound, description))];
        ulong[] counts = [.. series.Buckets[..^1].Select(bucket => bucket.Count)];
        counts.Should().Equal(bounds.Select(bound => (ulong)values.Count(value => value <= bound)));
        for (int i = 0; i < bounds.Length; i++)
        {
            ulong before = i == 0 ? 0 : bounds[i - 1] + 1;
            ulong added = counts[i] - (i == 0 ? histogram.UnderflowCount : counts[i - 1]);
            Assert.Equal(histogram.GetCountBetween(before, bounds[i]), added);
            Assert.True(i == 0 || bounds[i] == before || bounds[i] - before <= 2 * error * before, $"{before} to {bounds[i]} is wider than {error}");
        }

        (double low, double high) = SumLimits(histogram, values);
        (series.Sum!.Value * description.Unit.Ratio).Should().BeInRange(low, high);
    });

    [Fact]
    public void The_bounds_cover_the_description_within_the_range_of_the_histogram() => Seeded.Run(300, random =>
    {
        (HdrHistogramRegistration registration, double asked) = Next(random);
        HdrHistogram histogram = registration.Histogram;
        HdrHistogramDescription description = registration.Description;
        ulong[] bounds = [.. Expositions.Series(new PrometheusWriter(asked), registration).Single().Buckets[..^1].Select(bucket => BoundOf(bucket.Bound, description))];
        if (description.LowestBound > histogram.MaxTrackableValue || description.HighestBound < histogram.MinTrackableValue)
        {
            return; // widened to whole buckets, they may or may not touch
        }

        ulong lowest = Math.Max(description.LowestBound, histogram.MinTrackableValue);
        ulong highest = Math.Min(description.HighestBound, histogram.MaxTrackableValue);
        bounds[^1].Should().BeGreaterThanOrEqualTo(highest, "it is the last value of the bucket that contains the bound");
        bounds[^1].Should().BeLessThanOrEqualTo(highest + (ulong)(2 * Math.Max(asked, histogram.RelativeError) * highest));
        bounds[0].Should().BeLessThanOrEqualTo(lowest, "it is the last value before the bucket of the bound, or 0");
        (bounds[0] + 1).Should().BeGreaterThanOrEqualTo((ulong)((1 - (2 * Math.Max(asked, histogram.RelativeError))) * lowest));
    });

    [Fact]
    public void Thousands_of_hostile_registrations_are_parsed_and_have_the_same_series_in_every_format() => Seeded.Run(1, random =>
    {
        HdrHistogramRegistration[] hostile = [.. Enumerable.Range(0, 4_000).Select(_ => HostileRegistrations.Next(random))];

        (IReadOnlyList<ExpositionSeries> series, IReadOnlyList<string> omitted) = Expositions.Read(new PrometheusWriter(), hostile);
        string[] open = OpenMetricsTests.Text(new PrometheusWriter(), hostile).Split('\n');
        IReadOnlyList<NativeHistogram> native = NativeHistogram.Of(new PrometheusWriter(), hostile);

        series.Count.Should().BeGreaterThan(400).And.Be(hostile.Length - omitted.Count);
        open.Where(line => !line.StartsWith('#')).Should()
            .Equal(Expositions.Text(hostile).Split('\n').Where(line => !line.StartsWith('#')));
        open.Where(line => line.StartsWith('#') && line.Split(' ')[1] is not ("HELP" or "TYPE" or "UNIT")).Should().Equal("# EOF");
        native.Select(one => (one.Name, one.Count)).Should().Equal(series.Select(one => (one.Name, one.Count!.Value)));
        native.Select(one => string.Join(',', one.Labels.OrderBy(label => label.Name, StringComparer.Ordinal))).Should()
            .Equal(series.Select(one => string.Join(
                ',', one.Labels.Select(label => (label.Key, label.Value)).OrderBy(label => label.Key, StringComparer.Ordinal))));
    });

    private static ulong BoundOf(double bound, HdrHistogramDescription description) => (ulong)Math.Round(bound * description.Unit.Ratio);

    private static (HdrHistogramRegistration Registration, double RelativeError) Next(Random random)
    {
        double[] errors = [0.5, 0.3, 0.25, 0.125, 0.1, 0.01];
        ulong[] limits = [.. new[] { Limit(), Limit(), Limit(), Limit() }];
        Array.Sort(limits, 0, 2);
        Array.Sort(limits, 2, 2);
        HdrHistogram histogram = Variants.Next(random)
            .WithRelativeError(errors[random.Next(4, 6)] * random.NextDouble() is > 0.001 and var error ? error : 0.001)
            .WithMinTrackableValue(random.Next(2) == 0 ? 0 : limits[0])
            .WithMaxTrackableValue(limits[1] + 1)
            .Create();
        HdrHistogramDescription description = new()
        {
            Unit = new() { Ratio = random.Next(3) switch { 0 => 1, 1 => 1e9, _ => 1024 } },
            LowestBound = limits[2],
            HighestBound = limits[3],
        };
        return (new HdrHistogramRegistration("x", histogram, description), errors[random.Next(errors.Length)]);

        ulong Limit() => random.NextMagnitude() % LargestExact;
    }

    private static (double Low, double High) SumLimits(HdrHistogram histogram, List<ulong> values)
    {
        Bucket first = histogram.Buckets.First();
        Bucket last = histogram.Buckets.Last();
        ulong start = first.Start;
        ulong end = last.Start + last.Step - 1;
        double sum = values.Sum(value => (double)Math.Clamp(value, start, end));
        double error = (histogram.RelativeError * sum) + 1e-6;
        return (sum - error, sum + error);
    }
}
