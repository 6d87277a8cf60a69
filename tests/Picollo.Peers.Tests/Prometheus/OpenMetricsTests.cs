using System.Buffers;
using System.Globalization;
using Picollo.Export;
using Picollo.Export.Tests;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Tests that the reference parser of OpenMetrics, prometheus_client for Python, reads the output of Picollo.</summary>
public class OpenMetricsTests
{
    // Prints a line for each family (type, unit, name, number of samples) and a line for each exemplar.
    private const string Reader = """
        import io, sys
        from prometheus_client.openmetrics.parser import text_fd_to_metric_families
        for family in text_fd_to_metric_families(io.TextIOWrapper(sys.stdin.buffer, 'utf-8', newline='\n')):
            print(family.type, family.unit or '-', family.name, len(family.samples))
            for sample in family.samples:
                if sample.exemplar:
                    print('exemplar', sample.labels['le'], sample.exemplar.labels['trace_id'], float(sample.exemplar.value), float(sample.exemplar.timestamp))
        """;

    [FactNeeding(Need.OpenMetricsParser)]
    public void All_kinds_of_families_are_read()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(63).Create();
        histogram.Record([9, 63]);
        HdrHistogramRegistration registration = new(
            "queue.wait", histogram, new() { Help = "In \"quotes\" and\nlines \\.", Unit = new() { Name = "seconds" }, LowestBound = 8, HighestBound = 31 })
        {
            OwnerFacts = new() { Exemplars = () => [new(9, DateTimeOffset.FromUnixTimeMilliseconds(1_700_000_000_500), "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")] },
        };
        ArrayBufferWriter<byte> output = new();
        PrometheusWriter.WriteCounter(output, PrometheusFormat.OpenMetrics, "jobs.done", "Jobs.", [new(3, [new("queue", "a\"b\\c\nd")]), new(1e20)]);
        PrometheusWriter.WriteGauge(output, PrometheusFormat.OpenMetrics, "threads", "Threads.", [new(double.NegativeInfinity), new(double.NaN, [new("x", "1")])]);
        new PrometheusWriter(0.5).WriteHistograms(output, PrometheusFormat.OpenMetrics, [registration]);
        PrometheusWriter.WriteEnd(output, PrometheusFormat.OpenMetrics);

        (int exitCode, string text) = Read(output);

        text.Should().Be(
            """
            counter - jobs_done 2
            gauge - threads 2
            histogram seconds queue_wait_seconds 6
            exemplar 15.0 0af7651916cd43dd8448eb211c80319c 9.0 1700000000.5

            """);
        exitCode.Should().Be(0);
    }

    [FactNeeding(Need.OpenMetricsParser)]
    public void Hostile_texts_are_read() => Seeded.Run(1, random =>
    {
        ArrayBufferWriter<byte> output = new();
        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.OpenMetrics, [.. Enumerable.Range(0, 2_000).Select(_ => HostileRegistrations.Next(random))]);
        PrometheusWriter.WriteEnd(output, PrometheusFormat.OpenMetrics);

        (int exitCode, string text) = Read(output);

        exitCode.Should().Be(0, text.Length > 2000 ? text[^2000..] : text);
        text.Should().Contain("histogram");
    });

    private static (int ExitCode, string Output) Read(ArrayBufferWriter<byte> output) =>
        Promtool.Run("/usr/bin/python3", output.WrittenSpan.ToArray(), "-c", Reader);
}
