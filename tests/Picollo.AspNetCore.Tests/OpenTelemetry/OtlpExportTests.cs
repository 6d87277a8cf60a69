using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.AspNetCore.Tests.Usage;
using Picollo.Export;
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

        OtlpDataPoint[] points = [.. receiver.Points.Where(point => point.Kind == "histogram")];
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
        receiver.Points.Should().OnlyContain(point => point.Resource["service.name"] == "shop" && point.Resource["team"] == "a");
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

    [Theory]
    [InlineData(null, Providers.None, true)]
    [InlineData(null, Providers.Tracer, true)]
    [InlineData(null, Providers.Meter, false)]
    [InlineData(false, Providers.Meter, true)]
    [InlineData(true, Providers.None, false)]
    public async Task Metrics_of_the_conventions_are_left_out_by_default_if_the_application_has_a_MeterProvider(bool? excludes, Providers sdk, bool areSent)
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using RequestApp app = await StartAsync(receiver, null, export: options => options.ExcludeConventionMetrics = excludes, build: services =>
        {
            if (sdk == Providers.Meter)
            {
                services.AddOpenTelemetry().WithMetrics(metrics => metrics.AddMeter("OtlpExportTests"));
            }
            else if (sdk == Providers.Tracer)
            {
                services.AddOpenTelemetry().WithTracing(traces => traces.AddSource("OtlpExportTests"));
            }
        });
        await app.Client.GetStringAsync("/orders/1");
        await app.GetCountsAsync(1);

        await app.StopAsync();

        string[] names = [.. receiver.Points.Select(point => point.Metric).Distinct()];
        string[] ofConventions = ["http.server.request.duration", "http.server.active_requests", "process.cpu.time"];
        names.Where(name => !name.StartsWith("picollo.", StringComparison.Ordinal)).Should().BeEquivalentTo(areSent ? ofConventions : []);
        names.Should().Contain(["picollo.http.server.request.cpu.time", "picollo.http.server.responses", "picollo.process.cpu"]);
        app.Log.Of("Picollo.AspNetCore.OtlpExport").Select(line => (line.Level, line.Event.Name)).Should()
            .Equal(excludes is null && !areSent ? [(LogLevel.Information, "OtlpConventionsExcluded")] : []);
    }

    [Fact]
    public async Task Exemplars_have_the_IDs_that_the_logs_contain()
    {
        ActivityContext logged = default;
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/", () =>
            {
                logged = Activity.Current!.Context;
            }),
            options => options.Requests.CollectExemplars = true,
            builder => builder.Services.AddPicolloOtlpExporter(options => options.Endpoint = receiver.Endpoint));
        await app.SendAsync("/");
        await app.GetCountsAsync(1);

        await app.StopAsync();

        foreach (string name in (string[])["http.server.request.duration", "picollo.http.server.request.cpu.time"])
        {
            OtlpDataPoint point = receiver.Points.Single(point => point.Metric == name);
            (ulong time, double value, string spanId, string traceId) = point.Exemplars.Should().ContainSingle().Subject;
            (spanId, traceId).Should().Be((logged.SpanId.ToHexString(), logged.TraceId.ToHexString()));
            value.Should().BeApproximately(point.Sum, 1e-9);
            time.Should().BeInRange(point.StartTime + 1, point.Time);
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task An_error_is_logged_once_per_outage_without_values_of_headers()
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        ConcurrentQueue<Exception> all = new();
        await using RequestApp app = await StartAsync(receiver, null, interval: "20", options => options.OnError = all.Enqueue);
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

    [Fact]
    public async Task The_service_has_the_name_of_the_application_by_default()
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using RequestApp app = await RequestApp.StartAsync(
            _ => { }, null, builder => builder.Services.AddPicolloOtlpExporter(options => options.Endpoint = receiver.Endpoint));
        string name = app.Services.GetRequiredService<IWebHostEnvironment>().ApplicationName;

        await app.StopAsync();

        receiver.Points.Should().NotBeEmpty().And.OnlyContain(point => point.Resource["service.name"] == name);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Rejected_data_points_are_logged_once_even_if_their_number_differs()
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using RequestApp app = await StartAsync(receiver, null, interval: "20");
        for (byte rejected = 1; rejected <= 3; rejected++)
        {
            byte[] response = [0x0A, 0x02, 0x08, rejected];
            receiver.Answer(context => context.Response.Body.WriteAsync(response).AsTask());
        }

        for (int i = 0; i < 4; i++)
        {
            await receiver.WaitAsync();
        }

        app.Log.Of("Picollo.AspNetCore.OtlpExport").Should().ContainSingle().Which.Text.Should().Contain(" rejected 1 of ");
    }

    private static Task<RequestApp> StartAsync(
        OtlpReceiver receiver,
        Action<PicolloOptions>? options,
        string interval = "3600000",
        Action<OtlpExportOptions>? export = null,
        Action<IServiceCollection>? build = null) => RequestApp.StartAsync(
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
                export?.Invoke(options);
            }).AddPicolloOtlpExporter();
            build?.Invoke(builder.Services);
        });

    public enum Providers
    {
        None,
        Tracer,
        Meter,
    }
}
