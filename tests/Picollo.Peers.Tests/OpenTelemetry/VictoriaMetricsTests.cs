using Picollo.Export;
using Picollo.Metrics;
using Xunit.Abstractions;
using static System.FormattableString;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>Three exporters, like those of three processes, push to VictoriaMetrics. Its quantiles must be those of all their values.</summary>
[Trait("Category", "Long")]
public class VictoriaMetricsTests(ITestOutputHelper output)
{
    private const double BucketRatio = 1.0219; // 2^(2^-5)

    [TheoryNeeding(Need.VictoriaMetrics)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Quantiles_of_a_fleet_are_within_a_bucket_of_the_merged_histogram(bool useGzip)
    {
        await using VictoriaMetricsServer server = await VictoriaMetricsServer.StartNewAsync();
        Random random = new(1);
        HdrHistogram merged = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        for (int process = 0; process < 3; process++)
        {
            HdrHistogramRegistry registry = new();
            HdrHistogram latency = registry.GetOrAdd(
                "fleet.latency", () => HdrHistogram.Factory.WithSignificantDigits(3).Create(), HdrHistogramDescription.Nanoseconds, [new("route", "/orders/{id}")]);
            for (int i = 0; i < 20_000; i++)
            {
                // Log-normal, about 1 ms in the first process, 10 ms in the second, and 100 ms in the third.
                double normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
                latency.Record((ulong)(1e6 * Math.Pow(10, process) * Math.Exp(0.8 * normal)));
            }

            merged.Add(latency);
            OtlpExportOptions options = new() { Endpoint = server.Endpoint, UseGzip = useGzip, UseExponentialHistograms = true, ResourceAttributes = { ["service.name"] = "shop" } };
            await using OtlpExporter exporter = OtlpExporter.Start(registry, options);
            (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
        }

        const string Selector = "{route='/orders/{id}',service_name='shop'}";
        await server.WaitFor($"count(fleet_latency_seconds_count{Selector} == 20000)", 3); // each process has its own series
        (await server.Query("sum(fleet_latency_seconds_sum)")).Single().Value.Should().BeApproximately(merged.GetSummary().Sum / 1e9, 1e-6);
        foreach (double quantile in new[] { 0.1, 0.5, 0.9, 0.99, 0.999 })
        {
            string query = Invariant($"histogram_quantile({quantile}, sum by (vmrange) (fleet_latency_seconds_bucket{Selector}))");
            double answer = 1e9 * (await server.Query(query)).Single().Value;
            double exact = merged.GetPercentileValue(100 * quantile);
            output.WriteLine($"{quantile}: {answer:N0} ns, exact {exact:N0} ns, {(answer / exact) - 1:P2}");
            (answer / exact).Should().BeInRange(1 / BucketRatio / 1.001, BucketRatio * 1.001);
        }
    }
}
