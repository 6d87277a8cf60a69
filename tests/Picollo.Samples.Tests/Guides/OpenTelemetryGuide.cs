using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/opentelemetry.md.</summary>
internal static class OpenTelemetryGuide
{
    public static async Task Export()
    {
        var registry = new HdrHistogramRegistry();
        var waits = registry.GetOrAdd("queue.wait", () => HdrHistogram.Factory.WithThreadLocal().Create(), HdrHistogramDescription.Nanoseconds);
        await using var exporter = OtlpExporter.Start(registry);

        waits.Record(1_200_000);                                      // nanoseconds
        Console.WriteLine(await exporter.FlushAsync() ? "exported" : exporter.LastError!.Message);
    }

    public static void InApplication(WebApplicationBuilder builder)
    {
        builder.Services.AddPicolloOtlpExporter();
    }

    public static async Task Options(HdrHistogramRegistry registry, string key)
    {
        OtlpExportOptions options = new()
        {
            Endpoint = new Uri("https://collector.example/v1/metrics"),
            Interval = TimeSpan.FromSeconds(15),
            UseDeltaTemporality = true,
            Headers = { ["api-key"] = key },
            ResourceAttributes = { ["service.name"] = "shop" },
        };
        await using var exporter = OtlpExporter.Start(registry, options);
    }
}
