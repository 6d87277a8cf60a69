using System.IO.Pipelines;

namespace Picollo.Export.Tests;

public class PrometheusTextTests
{
    private const string SameSeries = "another histogram has this name and these labels";
    private const string SameLines = "another metric or one of its lines has this name";

    [Fact]
    public void An_exposition_has_the_documented_format()
    {
        HdrHistogramDescription time = HdrHistogramDescription.Nanoseconds with
        {
            Help = "Time of a request.",
            LowestBound = 1_000,
            HighestBound = 3_000,
        };
        var registry = new HdrHistogramRegistry();
        var orders = HdrHistogram.Factory.WithMaxTrackableValue(1_000_000).Create();
        orders.Record([1, 895, 896, 1_023, 1_024, 2_000, 2_000_000]);
        registry.Add("request.duration", orders, time, [new("route", "/orders/{id}"), new("method", "GET")]);
        registry.Add("request.duration", HdrHistogram.Factory.WithMinTrackableValue(2_048).Create(), time, [new("route", "/")]);
        var sizes = HdrHistogram.Factory.WithRelativeError(0.1).WithMaxTrackableValue(20).Create();
        sizes.Record([0, 3, 3, 9, 20, 100]);
        registry.Add("batch size", sizes);
        var output = new ArrayBufferWriter<byte>();

        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.Text, registry);

        Encoding.UTF8.GetString(output.WrittenSpan).Should().Be(
            """
            # HELP batch_size batch size
            # TYPE batch_size histogram
            batch_size_bucket{le="0.0"} 1
            batch_size_bucket{le="1.0"} 1
            batch_size_bucket{le="2.0"} 1
            batch_size_bucket{le="3.0"} 3
            batch_size_bucket{le="4.0"} 3
            batch_size_bucket{le="5.0"} 3
            batch_size_bucket{le="6.0"} 3
            batch_size_bucket{le="7.0"} 3
            batch_size_bucket{le="9.0"} 4
            batch_size_bucket{le="11.0"} 4
            batch_size_bucket{le="13.0"} 4
            batch_size_bucket{le="15.0"} 4
            batch_size_bucket{le="19.0"} 4
            batch_size_bucket{le="21.0"} 5
            batch_size_bucket{le="+Inf"} 6
            batch_size_sum 57
            batch_size_count 6
            # HELP request_duration_seconds Time of a request.
            # TYPE request_duration_seconds histogram
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="8.95e-07"} 2
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.023e-06"} 4
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.279e-06"} 5
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.535e-06"} 5
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.791e-06"} 5
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="2.047e-06"} 6
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="2.559e-06"} 6
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="3.071e-06"} 6
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="+Inf"} 7
            request_duration_seconds_sum{method="GET",route="/orders/{id}"} 0.001006288
            request_duration_seconds_count{method="GET",route="/orders/{id}"} 7
            request_duration_seconds_bucket{route="/",le="2.047e-06"} 0
            request_duration_seconds_bucket{route="/",le="2.559e-06"} 0
            request_duration_seconds_bucket{route="/",le="3.071e-06"} 0
            request_duration_seconds_bucket{route="/",le="+Inf"} 0
            request_duration_seconds_sum{route="/"} 0
            request_duration_seconds_count{route="/"} 0

            """.ReplaceLineEndings("\n"));
    }

    [Fact]
    public void The_defaults_write_the_documented_number_of_lines()
    {
        Expositions.Text().Should().BeEmpty();
        string time = Expositions.Text(new HdrHistogramRegistration("x", HdrHistogram.Create(), HdrHistogramDescription.Nanoseconds));
        time.Split('\n').Count(line => line.StartsWith('x')).Should().Be(108);
        time.Should().Contain("x_seconds_bucket{le=\"1.023e-06\"} 0\nx_seconds_bucket{le=\"1.279e-06\"} 0\n");
        time.Should().Contain("{le=\"60.129542143\"} 0\nx_seconds_bucket{le=\"68.719476735\"} 0\nx_seconds_bucket{le=\"+Inf\"} 0\n");

        string plain = Expositions.Text(new HdrHistogramRegistration("x", HdrHistogram.Create(), HdrHistogramDescription.None));
        plain.Split('\n').Count(line => line.StartsWith('x')).Should().Be(143);
        PrometheusWriter.GetContentType(PrometheusFormat.Text).Should().Be("text/plain; version=0.0.4; charset=utf-8");
    }

    [Fact]
    public void The_output_does_not_depend_on_the_memory_of_the_buffer_writer()
    {
        HdrHistogramRegistration[] registrations = [Expositions.Plain("x"), Expositions.Plain("y", [new("k", new string('v', 10_000))]), Expositions.Plain("x.")];
        registrations[0].Histogram.Record(5, 1UL << 63);
        PrometheusWriter writer = new();
        StrictBufferWriter output = new();
        writer.WriteHistograms(output, PrometheusFormat.Text, []);
        writer.WriteHistograms(output, PrometheusFormat.Text, registrations);

        Encoding.UTF8.GetString(output.Written).Should().Be(Expositions.Text(writer, registrations));
    }

    [Fact]
    public async Task A_pipe_receives_few_segments_so_that_a_response_has_few_chunks()
    {
        HdrHistogramRegistry registry = new();
        for (int i = 0; i < 20; i++)
        {
            HdrHistogram histogram = HdrHistogram.Create();
            histogram.Record(1_000_000);
            registry.Add("requests", histogram, labels: [new("route", i.ToString(CultureInfo.InvariantCulture))]);
        }

        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 0));
        new PrometheusWriter().WriteHistograms(pipe.Writer, PrometheusFormat.Text, registry);
        await pipe.Writer.FlushAsync();

        ReadOnlySequence<byte> written = (await pipe.Reader.ReadAsync()).Buffer;
        int segments = 0;
        foreach (ReadOnlyMemory<byte> segment in written)
        {
            segments += segment.IsEmpty ? 0 : 1;
        }

        written.Length.Should().BeGreaterThan(100_000);
        segments.Should().BeLessThanOrEqualTo(2 + (int)(written.Length / 50_000));
    }

    [Fact]
    public void Disposed_histograms_are_left_out_and_the_rest_is_written()
    {
        HdrHistogramRegistration gone = Expositions.Plain("a");
        HdrHistogramRegistration half = Expositions.Plain("b", [new("k", "1")]);
        HdrHistogramRegistration rest = Expositions.Plain("b", [new("k", "2")]);
        PrometheusWriter writer = new();
        Expositions.Series(writer, gone, half, rest).Should().HaveCount(3);
        gone.Histogram.Dispose();
        half.Histogram.Dispose();

        string text = Expositions.Text(writer, gone, half, rest);

        text.Should().StartWith("# HELP b b\n# TYPE b histogram\nb_bucket{k=\"2\",le=\"0.0\"} 0\n").And.NotContain("a_").And.NotContain("\"1\",");
    }

    [Fact]
    public void A_duplicate_series_is_omitted_and_counted()
    {
        HdrHistogramRegistration first = Expositions.Plain("a.b", [new("k", "1")]);
        HdrHistogramRegistration second = Expositions.Plain("a/b", [new("k", "1"), new("none", "")]);
        HdrHistogramRegistration hostile = Expositions.Plain("a\nb", [new("k", "1")]);
        HdrHistogramRegistration other = Expositions.Plain("a_b");
        first.Histogram.Record(1);

        Expositions.Series(first, second, hostile, other).Select(series => (series.Name, series.Labels.Count, series.Count))
            .Should().Equal(("a_b", 0, 0UL), ("a_b", 1, 1UL));
        Expositions.Omitted(first, second, hostile, other, second).Should().Equal(
            Omitted("a/b{k=\\\"1\\\",none=\\\"\\\"}", SameSeries),
            Omitted("a/b{k=\\\"1\\\",none=\\\"\\\"}", SameSeries),
            Omitted("a\\nb{k=\\\"1\\\"}", SameSeries));

        first.Histogram.Dispose();
        Expositions.Series(first, second).Should().ContainSingle("a disposed series does not count").Which.Count.Should().Be(0);
    }

    private static string Omitted(string histogram, string reason) =>
        $"picollo_omitted_histograms{{histogram=\"{histogram}\",reason=\"{reason}\"}}";

    [Fact]
    public void Series_with_the_same_exported_name_are_adjacent_and_sorted_by_labels()
    {
        HdrHistogramRegistration[] mixed =
        [
            Expositions.Plain("a_b", [new("k", "2")]),
            Expositions.Plain("a_c"),
            Expositions.Plain("a.b.c"),
            Expositions.Plain("a.b", [new("k", "1")]),
            Expositions.Plain("a"),
            Expositions.Plain("a.b", [new("k", "3")]),
            Expositions.Plain("a-b"),
        ];

        Expositions.Series(mixed).Select(series => series.Name + series.Labels.GetValueOrDefault("k"))
            .Should().Equal("a", "a_b", "a_b1", "a_b2", "a_b3", "a_b_c", "a_c");
    }

    [Fact]
    public void A_histogram_named_like_a_line_of_another_histogram_is_omitted_and_counted()
    {
        HdrHistogramRegistration owner = Expositions.Plain("x");
        HdrHistogramRegistration[] all =
        [
            Expositions.Plain("x.sum"), Expositions.Plain("x_count", [new("k", "1")]), Expositions.Plain("x_bucket"), Expositions.Plain("x_created"), owner,
            Expositions.Plain("x_total"), Expositions.Plain("y_sum"), Expositions.Plain("_sum"), Expositions.Plain("_"),
        ];

        Expositions.Series(all).Select(series => series.Name).Should().Equal("_", "_sum", "x", "x_total", "y_sum");
        Expositions.Omitted(all).Should().Equal(
            Omitted("x_bucket", SameLines), Omitted("x_count{k=\\\"1\\\"}", SameLines), Omitted("x_created", SameLines), Omitted("x.sum", SameLines));

        owner.Histogram.Dispose();
        Expositions.Series(all).Select(series => series.Name).Should().Equal("_", "_sum", "x_bucket", "x_count", "x_created", "x_sum", "x_total", "y_sum");
        Expositions.Omitted(Expositions.Plain("picollo.omitted.histograms")).Should().Equal(Omitted("picollo.omitted.histograms", SameLines));
    }

    [Fact]
    public async Task Concurrent_expositions_are_consistent()
    {
        const int Values = 200_000;
        var registration = new HdrHistogramRegistration(
            "x", HdrHistogram.Factory.WithThreadLocal().WithMaxTrackableValue(100_000).Create(), HdrHistogramDescription.None);
        PrometheusWriter writer = new();
        Task[] recorders = [.. Enumerable.Range(1, 3).Select(_ => Task.Factory.StartNew(
            () =>
            {
                for (ulong value = 1; value <= Values; value++)
                {
                    registration.Histogram.Record(value);
                }
            },
            TaskCreationOptions.LongRunning))];
        Task[] readers = [.. Enumerable.Range(1, 2).Select(_ => Task.Factory.StartNew(
            () =>
            {
                ulong before = 0;
                do
                {
                    ulong count = Expositions.Series(writer, registration).Single().Count!.Value;
                    count.Should().BeGreaterThanOrEqualTo(before);
                    before = count;
                }
                while (recorders.Any(recorder => !recorder.IsCompleted));
            },
            TaskCreationOptions.LongRunning))];
        await Task.WhenAll(readers.Concat(recorders));

        ExpositionSeries last = Expositions.Series(writer, registration).Single();
        last.Count.Should().Be(3 * Values);
        last.Buckets[^2].Count.Should().BeCloseTo(300_000, 1_000, "half of the values are above the range");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Allocation_does_not_depend_on_recorded_values()
    {
        const int Registrations = 25;
        var registry = new HdrHistogramRegistry();
        for (int i = 0; i < Registrations; i++)
        {
            registry.Add("x", HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create(), HdrHistogramDescription.Nanoseconds, [new("k", $"{i}")]);
        }

        PrometheusWriter writer = new();
        ArrayBufferWriter<byte> output = new(1 << 20);
        void Write()
        {
            output.ResetWrittenCount();
            writer.WriteHistograms(output, PrometheusFormat.Text, registry);
        }

        long empty = Allocations.InSteadyState(Write);
        int length = output.WrittenCount;
        Seeded.Run(1, random =>
        {
            foreach (HdrHistogramRegistration registration in registry.Registrations)
            {
                for (int i = 0; i < 10_000; i++)
                {
                    registration.Histogram.Record(random.NextMagnitude(), (ulong)random.Next(1, 1_000_000));
                }
            }
        });
        long full = Allocations.InSteadyState(Write);

        output.WrittenCount.Should().BeGreaterThan(length, "the counts have more digits");
        // Less than one object per registration. The number of enumerators depends on how the compiler compiled the writer.
        const int SmallestObject = 24;
        ((full - empty) / 100).Should().BeLessThan(SmallestObject * Registrations);
        (empty / 100 / Registrations).Should().BeLessThan(68, "a few bytes per registration, and some objects per exposition");
    }

    [Fact]
    public void Invalid_arguments_are_rejected_and_a_sample_copies_its_labels()
    {
        foreach (double relativeError in new[] { 0, 0.500001, -0.1, double.NaN })
        {
            FluentActions.Invoking(() => new PrometheusWriter(relativeError)).Should().Throw<ArgumentOutOfRangeException>();
        }

        foreach (int schema in new[] { -5, 9 }) // which Prometheus does not have
        {
            FluentActions.Invoking(() => new PrometheusWriter(schema: schema)).Should().Throw<ArgumentOutOfRangeException>();
        }

        foreach ((string? key, string? value) in new[] { (null, "v"), ("", "v"), ("k", null) })
        {
            FluentActions.Invoking(() => new PrometheusSample(1, [new("other", "x"), new(key!, value!)])).Should().Throw<ArgumentException>().WithParameterName("labels");
        }

        KeyValuePair<string, string>[] labels = [new("queue", "a")];
        PrometheusSample sample = new(3, labels);
        labels[0] = new("queue", "b");
        sample.Labels.Should().BeEquivalentTo([KeyValuePair.Create("queue", "a")]);
        (sample.Value, default(PrometheusSample).Labels.Count).Should().Be((3, 0));
    }

    [Fact]
    public void A_counter_has_a_line_for_each_set_of_labels()
    {
        ArrayBufferWriter<byte> output = new();

        PrometheusWriter.WriteCounter(
            output,
            PrometheusFormat.Text,
            "jobs.done",
            "Jobs \\ that\nended.",
            [new(3), new(0.5, [new("queue", "a\"b"), new("le", "x")]), new(1e20, [new("queue", "")])]);
        PrometheusWriter.WriteCounter(output, PrometheusFormat.Text, "seconds_total", "", []);

        Encoding.UTF8.GetString(output.WrittenSpan).Should().Be(
            "# HELP jobs_done_total Jobs \\\\ that\\nended.\n# TYPE jobs_done_total counter\njobs_done_total 3\n"
            + "jobs_done_total{exported_le=\"x\",queue=\"a\\\"b\"} 0.5\njobs_done_total 1E+20\n"
            + "# HELP seconds_total \n# TYPE seconds_total counter\n");

        output.ResetWrittenCount();
        PrometheusWriter.WriteGauge(output, PrometheusFormat.Text, "threads", "Threads.", [new(double.NegativeInfinity), new(-1.5, [new("x", "1")]), new(double.NaN, [new("x", "2")])]);
        Encoding.UTF8.GetString(output.WrittenSpan).Should().Be(
            "# HELP threads Threads.\n# TYPE threads gauge\nthreads -Inf\nthreads{x=\"1\"} -1.5\nthreads{x=\"2\"} NaN\n");
    }
}
