namespace Picollo.Export.Tests;

public class PrometheusProtobufTests
{
    [Fact]
    public void Histograms_of_different_units_and_ranges_have_different_native_buckets()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(1_000);
        HdrHistogram narrow = HdrHistogram.Factory.WithMinTrackableValue(2_000).Create();
        narrow.Record(5_000);
        HdrHistogramRegistration[] registrations =
        [
            new("narrow", narrow, HdrHistogramDescription.None),
            .. new[] { 1d, 1_000 }.Select(ratio => new HdrHistogramRegistration($"x{ratio}", histogram, new() { Unit = new() { Ratio = ratio } })),
        ];

        NativeHistogram.Of(new PrometheusWriter(), registrations).SelectMany(native => native.Buckets.Keys).Should().Equal(
            registrations.SelectMany(registration => NativeHistogram.Of(new PrometheusWriter(), registration).Single().Buckets.Keys));
    }

    [Fact]
    public void A_value_is_in_the_bucket_of_its_midpoint()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(0, 7);
        histogram.Record(1, 2);
        histogram.Record(2, 3);
        histogram.Record(3, 4);
        histogram.Record(1000, 5);

        NativeHistogram native = NativeHistogram.Of(histogram, schema: 0);

        (native.Schema, native.ZeroThreshold, native.ZeroCount, native.Count).Should().Be((0, Math.ScaleB(1, -128), 7, 21));
        native.Sum.Should().Be(2 + 6 + 12 + (5 * 1000));
        native.Buckets.Should().Equal(new Dictionary<int, ulong> { [0] = 2, [1] = 3, [2] = 4, [10] = 5 });
        native.Spans.Should().Be(2, "the gap is too long for counts of 0");
    }

    [Fact]
    public void Short_gaps_are_written_as_counts_of_zero()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record([1, 8, 128]);

        NativeHistogram native = NativeHistogram.Of(histogram, schema: 0), empty = NativeHistogram.Of(HdrHistogram.Create());

        native.Buckets.Should().Equal(new Dictionary<int, ulong> { [0] = 1, [1] = 0, [2] = 0, [3] = 1, [7] = 1 });
        native.Spans.Should().Be(2);
        (empty.Count, empty.Sum, empty.ZeroCount, empty.Spans, empty.Buckets.Count).Should().Be((0, 0, 0, 1, 0));
        empty.ZeroThreshold.Should().BePositive();
    }

    [Fact]
    public void Values_out_of_range_are_in_the_zero_bucket_and_in_the_bucket_after_the_last()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMinTrackableValue(100).WithMaxTrackableValue(1000).Create();
        histogram.Record(0);
        histogram.Record(99);
        histogram.Record(100);
        histogram.Record(1_000_000);

        NativeHistogram native = NativeHistogram.Of(histogram, schema: 0);

        (native.ZeroThreshold, native.ZeroCount, native.Count).Should().Be((99, 2, 4));
        native.Buckets.Should().Equal(new Dictionary<int, ulong> { [7] = 1, [11] = 1 });
    }

    [Fact]
    public void Classic_buckets_equal_those_of_the_text_format()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        Seeded.Run(100, random => histogram.Record(random.NextMagnitude()));
        HdrHistogramRegistration registration = new("x", histogram, HdrHistogramDescription.Nanoseconds);

        NativeHistogram native = NativeHistogram.Of(new PrometheusWriter(), registration).Single();
        ExpositionSeries text = Expositions.Series(registration).Single();

        native.Classic.Should().Equal(text.Buckets[..^1].Select(bucket => (bucket.Bound, bucket.Count)));
        (native.Count, native.Sum).Should().Be((text.Count!.Value, text.Sum!.Value));
    }

    [Fact]
    public void All_values_of_any_histogram_are_in_the_bucket_of_their_midpoint() => Seeded.Run(200, random =>
    {
        ulong most = ulong.MaxValue >> random.Next(1, 50);
        HdrHistogram histogram = Variants.Next(random).WithRelativeError(Math.Pow(10, -random.Next(1, 4)))
            .WithMinTrackableValue(most >> random.Next(1, 64)).WithMaxTrackableValue(most).Create();
        double ratio = random.Next(4) switch { 0 => 1, 1 => 1e9, 2 => 1e-3, _ => 7 };
        int schema = random.Next(ExponentialBounds.MinSchema, ExponentialBounds.MaxSchema + 1);
        for (int i = random.Next(300); i > 0; i--)
        {
            histogram.Record(random.NextMagnitude(), (ulong)random.Next(1, 1000));
        }

        NativeHistogram native = NativeHistogram.Of(histogram, schema, ratio);

        SortedDictionary<int, ulong> expected = [];
        ulong zero = histogram.UnderflowCount;
        foreach (Bucket bucket in histogram.BucketsWithValues.Where(bucket => !bucket.IsOverflowBucket))
        {
            double midpoint = bucket.Start + (bucket.Step >> 1);
            if (midpoint == 0)
            {
                zero += bucket.Count;
                continue;
            }

            int its = ExponentialBounds.BucketOf(midpoint / ratio, schema);
            expected[its] = expected.GetValueOrDefault(its) + bucket.Count;
        }

        ulong above = histogram.OverflowCount - histogram.UnderflowCount;
        Dictionary<int, ulong> used = native.Buckets.Where(bucket => bucket.Value > 0).ToDictionary();
        native.ZeroCount.Should().Be(zero);
        if (above > 0)
        {
            used[used.Keys.Max()].Should().Be(above);
            used.Remove(used.Keys.Max());
        }

        used.Should().BeEquivalentTo(expected);
        native.Count.Should().Be(native.Buckets.Values.Aggregate(native.ZeroCount, (sum, count) => sum + count));
    });

    [Fact]
    public void Series_with_the_same_name_are_in_one_family()
    {
        HdrHistogramRegistration[] all =
        [
            Expositions.Plain("b"), Expositions.Plain("a", new KeyValuePair<string, string>("k", "1")), Expositions.Plain("a"),
        ];
        ArrayBufferWriter<byte> output = new();
        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.Protobuf, all);

        ProtobufMessage.Delimited(output.WrittenSpan).Select(family => (family.Text(1), family.Messages(4).Count())).Should().Equal(("a", 2), ("b", 1));
    }

    [Fact]
    public void Counters_and_gauges_have_the_names_labels_and_values_of_the_text_format()
    {
        ArrayBufferWriter<byte> output = new();
        PrometheusWriter.WriteCounter(
            output, PrometheusFormat.Protobuf, "jobs.done", "Jobs \\ that\nended.", [new(3), new(0.5, [new("queue", "a\"b"), new("le", "x")]), new(1e20, [new("queue", "")])]);
        PrometheusWriter.WriteGauge(output, PrometheusFormat.Protobuf, "threads", "Threads.", [new(-1.5, [new("x", "1")])]);
        PrometheusWriter.WriteCounter(output, PrometheusFormat.Protobuf, "none", "", []);

        ProtobufMessage[] families = [.. ProtobufMessage.Delimited(output.WrittenSpan)];

        families.Select(family => (family.Text(1), family.Text(2), family.Number(3))).Should().Equal(
            ("jobs_done_total", "Jobs \\ that\nended.", 0UL), ("threads", "Threads.", 1UL), ("none_total", "", 0UL));
        families[0].Messages(4).Select(metric => (Labels(metric), metric.Message(3).Double(1))).Should().Equal(
            ("", 3), ("exported_le=x,queue=a\"b", 0.5), ("", 1e20));
        families[1].Messages(4).Select(metric => (Labels(metric), metric.Message(2).Double(1))).Should().Equal(("x=1", -1.5));
        families[2].Messages(4).Should().BeEmpty();

        static string Labels(ProtobufMessage metric) => string.Join(',', metric.Messages(1).Select(label => $"{label.Text(1)}={label.Text(2)}"));
    }

    [Fact]
    public void A_counter_has_a_start_time_if_it_is_known()
    {
        DateTimeOffset start = DateTimeOffset.FromUnixTimeSeconds(1_700_000_000).AddTicks(1_234_567);
        ArrayBufferWriter<byte> output = new(), text = new();
        PrometheusWriter.WriteCounter(output, PrometheusFormat.Protobuf, "known", "", [new(3), new(4, [new("x", "1")])], start);
        PrometheusWriter.WriteCounter(output, PrometheusFormat.Protobuf, "unknown", "", [new(5)]);
        PrometheusWriter.WriteCounter(text, PrometheusFormat.OpenMetrics, "known", "", [new(3)], start);

        ProtobufMessage.Delimited(output.WrittenSpan).SelectMany(family => family.Messages(4)).Select(metric => metric.Message(3)).Select(counter => (
            counter.Double(1),
            string.Join(',', counter.Messages(3).Select(time => $"{time.Number(1)} s {time.Number(2)} ns")))).Should().Equal(
            (3, "1700000000 s 123456700 ns"), (4, "1700000000 s 123456700 ns"), (5, ""));
        Encoding.UTF8.GetString(text.WrittenSpan).Should().Be("# HELP known \n# TYPE known counter\nknown_total 3\n");
    }

    [Fact]
    public void The_slowest_exemplar_is_in_its_classic_bucket()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(1000).Create();
        DateTimeOffset time = DateTimeOffset.FromUnixTimeMilliseconds(1_700_000_000_123);
        HdrHistogramRegistration Of(ulong slowest) => new("x", histogram, new() { Unit = new() { Ratio = 1000 } })
        {
            OwnerFacts = new() { Exemplars = () => [new(5, time.AddSeconds(1), "11", "22"), new(slowest, time, "aa", "bb")] },
        };

        (double Bound, ProtobufMessage Exemplar) Only(ulong slowest)
        {
            ArrayBufferWriter<byte> output = new();
            new PrometheusWriter().WriteHistograms(output, PrometheusFormat.Protobuf, [Of(slowest)]);
            return ProtobufMessage.Delimited(output.WrittenSpan).Single().Message(4).Message(7).Messages(3)
                .SelectMany(bucket => bucket.Messages(3).Select(exemplar => (bucket.Double(2), exemplar))).Single();
        }

        (double bound, ProtobufMessage exemplar) = Only(120);
        bound.Should().Be(0.127);
        exemplar.Messages(1).Select(label => (label.Text(1), label.Text(2))).Should().Equal(("trace_id", "aa"), ("span_id", "bb"));
        exemplar.Double(2).Should().Be(0.12);
        (exemplar.Message(3).Number(1), exemplar.Message(3).Number(2)).Should().Be((1_700_000_000UL, 123_000_000UL));

        Only(127).Bound.Should().Be(0.127);
        Only(128).Bound.Should().BeGreaterThan(0.127);
        Only(5_000).Bound.Should().Be(double.PositiveInfinity);
    }

    [Fact]
    public void A_native_histogram_has_all_exemplars_in_the_order_of_their_times()
    {
        DateTimeOffset time = DateTimeOffset.FromUnixTimeMilliseconds(1_700_000_000_999);
        HdrHistogramRegistration registration = new("x", HdrHistogram.Create(), new() { Unit = new() { Ratio = 1000 } })
        {
            OwnerFacts = new()
            {
                Exemplars = () => [new(5, time.AddMilliseconds(2), "11", "22"), new(50, time, "33", "44"), new(120, time.AddMilliseconds(1), "aa", "bb")],
            },
        };
        ArrayBufferWriter<byte> output = new();
        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.Protobuf, [registration]);

        ProtobufMessage histogram = ProtobufMessage.Delimited(output.WrittenSpan).Single().Message(4).Message(7);

        histogram.Messages(16).Select(exemplar => (
            exemplar.Double(2),
            string.Join(',', exemplar.Messages(1).Select(label => $"{label.Text(1)}={label.Text(2)}")),
            exemplar.Message(3).Number(1),
            exemplar.Message(3).Number(2))).Should().Equal(
            (0.05, "trace_id=33,span_id=44", 1_700_000_000, 999_000_000),
            (0.12, "trace_id=aa,span_id=bb", 1_700_000_001, 0),
            (0.005, "trace_id=11,span_id=22", 1_700_000_001, 1_000_000));
    }

    [Fact]
    public void A_histogram_has_the_time_of_its_creation_or_of_its_last_reset()
    {
        ManualTime time = new(DateTimeOffset.FromUnixTimeSeconds(1_700_000_000).AddTicks(1_234_567));
        HdrHistogram histogram = HdrHistogram.Factory.WithTimeProvider(time).Create();
        HdrHistogramRegistration registration = new("x", histogram, HdrHistogramDescription.None);
        PrometheusWriter writer = new();
        histogram.Record(7);
        time.Advance(TimeSpan.FromSeconds(5));

        StartOf(registration).Should().Be((1_700_000_000, 123_456_700));
        histogram.Reset();
        time.Advance(TimeSpan.FromSeconds(5));
        StartOf(registration).Should().Be((1_700_000_005, 123_456_700));

        // In text, the time would be one more series for each histogram.
        OpenMetricsTests.Text(writer, registration).Should().Contain("x_count 0").And.NotContain("_created");
        Expositions.Text(writer, registration).Should().Contain("x_count 0").And.NotContain("_created");

        (ulong Seconds, ulong Nanoseconds) StartOf(HdrHistogramRegistration one)
        {
            ArrayBufferWriter<byte> output = new();
            writer.WriteHistograms(output, PrometheusFormat.Protobuf, [one]);
            ProtobufMessage start = ProtobufMessage.Delimited(output.WrittenSpan).Single().Message(4).Message(7).Message(15);
            return (start.Number(1), start.Number(2));
        }
    }
}
