using System.Collections.Concurrent;
using Microsoft.Extensions.Configuration;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.AspNetCore.Tests.Usage;
using Picollo.Export.Tests;

namespace Picollo.AspNetCore.Tests.OpenTelemetry;

public class OtlpExportTests
{
    [Fact]
    public async Task All_histograms_are_exported_when_the_application_stops()
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using RequestApp app = await StartAsync(receiver, null);
        await app.Client.GetStringAsync("/orders/1");
        await app.GetCountsAsync(1);
        app.Services.GetRequiredService<HdrHistogramRegistry>().GetOrAdd("queue.wait", HdrHistogram.Create, HdrHistogramDescription.Nanoseconds, []).Record(5);

        await app.StopAsync();

        OtlpDataPoint[] points = [.. receiver.Points];
        points.Select(point => (point.Metric, point.Unit, point.Count)).Should().BeEquivalentTo(
        [
            ("http.server.request.duration", "s", 1UL), ("picollo.http.server.request.cpu.time", "s", 1UL), ("queue.wait", "s", 1UL),
        ]);
        points.Single(point => point.Metric == "http.server.request.duration").Attributes.Should().Equal(new Dictionary<string, string>
        {
            ["http.request.method"] = "GET",
            ["http.response.status_code"] = "int 200",
            ["http.route"] = "/orders/{id}",
        });
        points.Should().OnlyContain(point => point.Resource["service.name"] == "shop" && point.Resource["team"] == "a");
    }

    [Fact]
    public async Task The_times_in_states_are_counters_whose_sum_is_that_of_the_durations_even_of_the_last_requests()
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using RequestApp app = await StartAsync(
            receiver, options => (options.Requests.LatencyBreakdown, options.MeasureRuntime) = (true, true));
        await app.SendAsync("/orders/1", "/sleep", "/sleep"); // runs that have waited are added later
        await Eventually.IsTrueAsync(() => app.Routes.All.Sum(route => route.Responses) == 3);

        await app.StopAsync();

        OtlpDataPoint[] times = [.. receiver.Points.Where(point => point.Metric == "picollo.http.server.time")];
        times.Should().OnlyContain(point => point.Unit == "s" && point.IsCounter && point.Attributes["http.request.method"] == "GET");
        foreach (string route in (string[])["/orders/{id}", "/sleep"])
        {
            OtlpDataPoint[] states = [.. times.Where(point => point.Attributes["http.route"] == route)];
            states.Select(point => point.Attributes["state"]).Should().OnlyHaveUniqueItems().And.Contain(["cpu", "lock", "blocked", "await"]);
            states.Sum(point => point.Sum).Should().BeApproximately(
                receiver.Points.Single(point => point.Metric == "http.server.request.duration" && point.Attributes["http.route"] == route).Sum, 1e-9);
        }

        receiver.Points.Where(point => point.Metric == "picollo.work.time").Should().OnlyContain(point => point.Attributes["work"] == "sleep")
            .And.Contain(point => point.Attributes["state"] == "blocked" && point.Sum > 0.01);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task An_error_is_logged_once_per_outage_without_values_of_headers()
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        ConcurrentQueue<Exception> all = new();
        await using RequestApp app = await StartAsync(receiver, null, interval: "20", all.Enqueue);
        for (int i = 0; i < 3; i++)
        {
            receiver.Answer(401);
        }

        receiver.Answer(200);
        receiver.Answer(401);

        await app.Client.GetStringAsync("/orders/1");
        for (int i = 0; i < 6; i++)
        {
            await receiver.WaitAsync();
        }

        receiver.Requests.Should().OnlyContain(request => request.Headers["Authorization"] == "Bearer s3cr3t");
        LogLine[] errors = [.. app.Log.Of("Picollo.AspNetCore.OtlpExport")];
        all.Should().HaveCount(4, "the callback of the application receives each");
        errors.Should().HaveCount(2).And.OnlyContain(error =>
            error.Text.StartsWith($"The export to {receiver.Endpoint} failed: the receiver returned the status code 401.") && !error.Text.Contains("s3cr3t"));
    }

    private static Task<RequestApp> StartAsync(
        OtlpReceiver receiver, Action<PicolloOptions>? options, string interval = "3600000", Action<Exception>? onError = null) => RequestApp.StartAsync(
        app =>
        {
            app.MapGet("/orders/{id}", (int id) => id);
            app.MapGet("/sleep", (WorkMeter meter) =>
            {
                using (meter.Measure("sleep"))
                {
                    Thread.Sleep(20);
                }
            });
        },
        options,
        builder =>
        {
            builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
            {
                ["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.Address.ToString(),
                ["OTEL_EXPORTER_OTLP_HEADERS"] = "Authorization=Bearer%20s3cr3t",
                ["OTEL_METRIC_EXPORT_INTERVAL"] = interval,
                ["OTEL_SERVICE_NAME"] = "shop",
            });
            builder.Services.AddSingleton<TimeProvider>(new Clock()); // so that nothing is added later, except when the application stops
            builder.Services.AddPicollo().AddPicolloOtlpExporter(options =>
            {
                options.ResourceAttributes["team"] = "a";
                options.OnError = onError;
            }).AddPicolloOtlpExporter();
        });
}
