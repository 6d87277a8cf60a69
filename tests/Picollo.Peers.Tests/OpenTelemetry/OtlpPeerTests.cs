using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>Exports to foreign servers that are down or slow, and compares the counts that arrive.</summary>
[Trait("Category", "Long")]
public class OtlpPeerTests
{
    private const string Name = "queue.wait";

    [TheoryNeeding(Need.AspireDashboard)]
    [InlineData("aspire-grpc", "none")]
    [InlineData("aspire-grpc", "down")]
    [InlineData("aspire-grpc", "slow")]
    [InlineData("aspire-http", "none")]
    [InlineData("aspire-http", "down")]
    [InlineData("aspire-http", "slow")]
    public Task All_values_arrive_at_Aspire_also_after_an_outage(string server, string fault) =>
        AllValuesArriveAsync(server, isExponential: false, fault);

    [TheoryNeeding(Need.VictoriaMetrics)]
    [InlineData(false, "none")]
    [InlineData(false, "down")]
    [InlineData(false, "slow")]
    [InlineData(true, "none")]
    [InlineData(true, "down")]
    [InlineData(true, "slow")]
    public Task All_values_arrive_at_VictoriaMetrics_also_after_an_outage(bool isExponential, string fault) =>
        AllValuesArriveAsync("victoria", isExponential, fault);

    [TheoryNeeding(Need.AspireDashboard)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Exponential_histograms_are_rejected_by_Aspire_with_a_hint(bool isGrpc)
    {
        await using OtlpPeer peer = await StartAsync(isGrpc ? "aspire-grpc" : "aspire-http");
        HdrHistogramRegistry registry = new();
        registry.GetOrAdd(Name, HdrHistogram.Create, HdrHistogramDescription.Nanoseconds).Record(1);
        await using OtlpExporter exporter = Start(peer, registry, isExponential: true);

        (await exporter.FlushAsync()).Should().BeFalse();

        exporter.RejectedCount.Should().Be(1);
        exporter.LastError!.Message.Should().Contain(" rejected 1 of 1 data points. If it does not support exponential histograms, set ");
        (await peer.CountAsync(Name)).Should().BeNull();
    }

    /// <summary>The variables that Aspire.Hosting 13.6.5 sets in a project.</summary>
    [FactNeeding(Need.AspireDashboard)]
    public async Task A_project_that_an_AppHost_starts_needs_no_setting()
    {
        await using OtlpPeer peer = await StartAsync("aspire-grpc");
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["urls"] = "http://127.0.0.1:0",
            ["OTEL_EXPORTER_OTLP_ENDPOINT"] = peer.Endpoint.ToString(),
            ["OTEL_EXPORTER_OTLP_PROTOCOL"] = "grpc",
            ["OTEL_EXPORTER_OTLP_HEADERS"] = "x-otlp-api-key=" + AspireDashboard.Key,
            ["OTEL_RESOURCE_ATTRIBUTES"] = "service.instance.id=abcdefgh",
            ["OTEL_SERVICE_NAME"] = "api",
            ["OTEL_METRIC_EXPORT_INTERVAL"] = "1000",
            ["OTEL_METRICS_EXEMPLAR_FILTER"] = "trace_based",
        });
        builder.Services.AddPicollo().AddPicolloOtlpExporter();
        await using WebApplication app = builder.Build();
        app.UsePicollo();
        app.MapGet("/orders/{id}", (int id) => id);
        await app.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(app.Urls.Single()) };
        for (int i = 0; i < 20; i++)
        {
            await client.GetStringAsync($"/orders/{i}");
        }

        await peer.WaitForCountAsync("http.server.request.duration", 20);
    }

    private static async Task AllValuesArriveAsync(string server, bool isExponential, string fault)
    {
        await using OtlpPeer peer = await StartAsync(server);
        HdrHistogramRegistry registry = new();
        HdrHistogram histogram = registry.GetOrAdd(Name, HdrHistogram.Create, HdrHistogramDescription.Nanoseconds);
        await using OtlpExporter exporter = Start(peer, registry, isExponential);
        histogram.Record(1_000_000, 100);
        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
        await peer.WaitForCountAsync(Name, 100);
        if (fault == "down")
        {
            await peer.StopAsync();
        }
        else if (fault == "slow")
        {
            peer.Suspend();
        }

        histogram.Record(200_000_000, 100);
        if (fault != "none")
        {
            (await exporter.FlushAsync()).Should().BeFalse();
        }

        if (fault == "down")
        {
            await peer.StartAsync();
        }
        else if (fault == "slow")
        {
            peer.Resume();
        }

        histogram.Record(5, 100);
        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);
        await peer.WaitForCountAsync(Name, 300);
        (exporter.LastError, exporter.RejectedCount).Should().Be((null, 0));
    }

    private static async Task<OtlpPeer> StartAsync(string server)
    {
        OtlpPeer peer = server == "victoria" ? new VictoriaMetricsServer() : new AspireDashboard(usesGrpc: server == "aspire-grpc");
        await peer.StartAsync();
        return peer;
    }

    private static OtlpExporter Start(OtlpPeer peer, HdrHistogramRegistry registry, bool isExponential) => OtlpExporter.Start(registry, new()
    {
        Endpoint = peer.Endpoint,
        UseGrpc = peer.UsesGrpc,
        UseExponentialHistograms = isExponential,
        Interval = TimeSpan.FromDays(1),
        Headers = { ["x-otlp-api-key"] = AspireDashboard.Key },
    });
}
