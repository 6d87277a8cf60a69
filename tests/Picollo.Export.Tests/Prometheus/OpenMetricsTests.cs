namespace Picollo.Export.Tests;

public class OpenMetricsTests
{
    private static readonly DateTimeOffset Time = DateTimeOffset.FromUnixTimeMilliseconds(1_700_000_000_120);

    [Fact]
    public void A_histogram_has_its_unit_and_an_exemplar_in_each_bucket_that_has_traces()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(63).Create();
        histogram.Record([1, 9, 63, 100]);
        HdrHistogramRegistration registration = new(
            "queue.wait",
            histogram,
            new() { Help = "Time in the \"queue\".\nOr not.", Unit = new() { Name = "seconds", Ratio = 10 }, LowestBound = 8, HighestBound = 31 },
            [new("queue", "a\"b")])
        {
            OwnerFacts = new()
            {
                Exemplars = () =>
                [
                    new(2, Time, "01", "02"), new(8, Time, "03", "04"), new(9, Time.AddSeconds(-1), "05", "06"), new(63, Time, "07", "08"), new(100, Time, "09", "0a"),
                ],
            },
        };

        Text(new PrometheusWriter(0.5), registration).Should().Be(
            """
            # HELP queue_wait_seconds Time in the \"queue\".\nOr not.
            # TYPE queue_wait_seconds histogram
            # UNIT queue_wait_seconds seconds
            queue_wait_seconds_bucket{queue="a\"b",le="0.7"} 1 # {trace_id="01",span_id="02"} 0.2 1700000000.120
            queue_wait_seconds_bucket{queue="a\"b",le="1.5"} 2 # {trace_id="05",span_id="06"} 0.9 1699999999.120
            queue_wait_seconds_bucket{queue="a\"b",le="3.1"} 2
            queue_wait_seconds_bucket{queue="a\"b",le="+Inf"} 4 # {trace_id="09",span_id="0a"} 10 1700000000.120
            queue_wait_seconds_sum{queue="a\"b"} 13.6
            queue_wait_seconds_count{queue="a\"b"} 4
            # EOF

            """);
        Expositions.Text(registration).Should().NotContain("trace_id", "other text formats have no exemplars");
    }

    [Fact]
    public void Only_the_samples_of_a_counter_have_its_suffix()
    {
        ArrayBufferWriter<byte> output = new();
        PrometheusWriter.WriteCounter(output, PrometheusFormat.OpenMetrics, "jobs.done", "", [new(3, [new("queue", "a")])]);
        PrometheusWriter.WriteGauge(output, PrometheusFormat.OpenMetrics, "jobs_total", "Say \"hi\".", [new(1.5)]);
        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.OpenMetrics, new HdrHistogramRegistry());
        PrometheusWriter.WriteEnd(output, PrometheusFormat.OpenMetrics);

        Encoding.UTF8.GetString(output.WrittenSpan).Should().Be(
            "# HELP jobs_done \n# TYPE jobs_done counter\njobs_done_total{queue=\"a\"} 3\n"
            + "# HELP jobs_total Say \\\"hi\\\".\n# TYPE jobs_total gauge\njobs_total 1.5\n# EOF\n");
    }

    [Theory]
    [InlineData("x", "", null)]
    [InlineData("x", "bytes", "bytes")]
    [InlineData("x", "km/h", "km_h")]
    [InlineData("bytes", "bytes", null)]
    public void A_unit_is_written_if_there_is_one_in_addition_to_the_name(string name, string unit, string? written)
    {
        HdrHistogramRegistration registration = new(name, HdrHistogram.Create(), new() { Unit = new() { Name = unit } });

        string[] lines = [.. Text(new PrometheusWriter(), registration).Split('\n').Where(line => line.StartsWith("# UNIT", StringComparison.Ordinal))];

        lines.Should().Equal(written is null ? [] : [$"# UNIT x_{written} {written}"]);
    }

    // From Go's strconv.FormatFloat(x, 'g', -1, 64), with ".0" added if there is neither a point nor an exponent.
    [Theory]
    [InlineData(0, "0.0"), InlineData(1, "1.0"), InlineData(100, "100.0"), InlineData(0.0001, "0.0001"), InlineData(0.00001, "1e-05")]
    [InlineData(1.023e-6, "1.023e-06"), InlineData(5e-324, "5e-324"), InlineData(999_999, "999999.0"), InlineData(999_999.5, "999999.5")]
    [InlineData(1_000_000, "1e+06"), InlineData(1_048_575, "1.048575e+06"), InlineData(12_345_678.75, "1.234567875e+07")]
    [InlineData(123_456_789_012_345, "1.23456789012345e+14"), InlineData(1e15, "1e+15")]
    [InlineData(18446744073709551615, "1.8446744073709552e+19"), InlineData(1.7976931348623157e308, "1.7976931348623157e+308")]
    public void Bounds_have_the_format_of_Go(double value, string text)
    {
        PrometheusBounds.TextOf(value).Should().Be(text);
        double.Parse(text, CultureInfo.InvariantCulture).Should().Be(value);
    }

    [Theory]
    [InlineData("jobs", "jobs")]
    [InlineData("jobs", "jobs_total")]
    [InlineData("jobs", "jobs.created")]
    [InlineData("jobs_sum", "jobs")]
    [InlineData("jobs_created", "jobs")]
    public void A_histogram_with_a_name_or_a_line_of_a_counter_is_omitted_and_counted(string counter, string histogram)
    {
        ArrayBufferWriter<byte> output = new();
        PrometheusWriter.WriteCounter(output, PrometheusFormat.OpenMetrics, counter, "", [new(3)]);
        new PrometheusWriter().WriteHistograms(
            output, PrometheusFormat.OpenMetrics, [Expositions.Plain(histogram)], PrometheusNames.LinesOfCounter(counter).ToHashSet());
        PrometheusWriter.WriteEnd(output, PrometheusFormat.OpenMetrics);

        Encoding.UTF8.GetString(output.WrittenSpan).Should().Be(
            $"# HELP {counter} \n# TYPE {counter} counter\n{counter}_total 3\n"
            + "# HELP picollo_omitted_histograms Histograms that are not exported, by reason.\n# TYPE picollo_omitted_histograms gauge\n"
            + $"picollo_omitted_histograms{{histogram=\"{histogram}\",reason=\"another metric or one of its lines has this name\"}} 1\n"
            + "# EOF\n");
    }

    [Theory]
    [InlineData(PrometheusFormat.Text)]
    [InlineData(PrometheusFormat.OpenMetrics)]
    [InlineData(PrometheusFormat.Protobuf)]
    public void Only_WriteEnd_ends_an_exposition(PrometheusFormat format)
    {
        PrometheusWriter writer = new();
        HdrHistogramRegistration first = Expositions.Plain("first"), second = Expositions.Plain("second");
        ArrayBufferWriter<byte> several = new(), single = new(), end = new();
        writer.WriteHistograms(several, format, [first]);
        writer.WriteHistograms(several, format, [second]);
        writer.WriteHistograms(single, format, [first, second]);
        PrometheusWriter.WriteEnd(end, format);

        several.WrittenSpan.ToArray().Should().NotBeEmpty().And.Equal(single.WrittenSpan.ToArray());
        Encoding.UTF8.GetString(end.WrittenSpan).Should().Be(format == PrometheusFormat.OpenMetrics ? "# EOF\n" : "");
        FluentActions.Invoking(() => PrometheusWriter.WriteEnd(null!, format)).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => PrometheusWriter.WriteEnd(end, (PrometheusFormat)3)).Should().Throw<ArgumentOutOfRangeException>();
    }

    internal static string Text(PrometheusWriter writer, params HdrHistogramRegistration[] registrations)
    {
        ArrayBufferWriter<byte> output = new();
        writer.WriteHistograms(output, PrometheusFormat.OpenMetrics, registrations);
        PrometheusWriter.WriteEnd(output, PrometheusFormat.OpenMetrics);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }
}
