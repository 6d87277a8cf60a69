using System.Buffers;
using Picollo.Export;
using Picollo.Export.Tests;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.Prometheus;

[Trait("Category", "Long")]
public class CheckMetricsTests
{
    [FactNeeding(Need.Prometheus)]
    public void Promtool_accepts_an_exposition_without_warnings()
    {
        HdrHistogramRegistry registry = new();
        HdrHistogramDescription time = HdrHistogramDescription.Nanoseconds with { Help = "Time of a request, in all \"quotes\" and\nlines." };
        for (int i = 0; i < 200; i++)
        {
            registry.GetOrAdd("http.server.request.duration", HdrHistogram.Create, time, [new("http.route", $"/orders/{{id}}/\"{i}\\\n"), new("le", "no bound")])
                .Record((ulong)i << 20, 1_000);
        }

        registry.Add("reply_size", HdrHistogram.Create(), new HdrHistogramDescription { Help = "Size of a reply.", Unit = new() { Name = "bytes" } });
        registry.Add("no description", HdrHistogram.Factory.WithMinTrackableValue(100).WithMaxTrackableValue(1000).Create());
        registry.Add("9.bounds.and.none", HdrHistogram.Factory.WithMaxTrackableValue(10).Create(), new HdrHistogramDescription { LowestBound = 100 });

        CheckMetrics(registry.Registrations).Should().Be((0, ""));
    }

    [FactNeeding(Need.Prometheus)]
    public void Promtool_reads_expositions_with_hostile_texts() => Seeded.Run(1, random =>
    {
        (int exitCode, string output) = CheckMetrics([.. Enumerable.Range(0, 2_000).Select(_ => HostileRegistrations.Next(random))]);

        exitCode.Should().Be(3, "names may be bad style, but are read: {0}", output.Length > 2000 ? output[^2000..] : output);
        output.Should().NotContain("error while linting");
    });

    private static (int ExitCode, string Output) CheckMetrics(IReadOnlyList<HdrHistogramRegistration> registrations)
    {
        ArrayBufferWriter<byte> output = new();
        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.Text, registrations);
        return Promtool.Run(output.WrittenSpan.ToArray(), "check", "metrics");
    }
}
