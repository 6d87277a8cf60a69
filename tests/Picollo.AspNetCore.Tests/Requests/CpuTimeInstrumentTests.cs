using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using Picollo.Export.Tests;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the measurements that listeners and the OpenTelemetry SDK receive. The SDK listens to every meter with the name in the
/// process, so no application of another test may run at the same time.</summary>
[Collection(Alone.Name)]
public class CpuTimeInstrumentTests
{
    [Theory]
    [InlineData(CpuUsageDetail.TotalOnly)]
    [InlineData(CpuUsageDetail.UserAndKernel)]
    [Trait("Category", "Slow")]
    public async Task The_OpenTelemetry_exporter_sends_each_request_to_a_receiver(CpuUsageDetail detail)
    {
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapGet("/burn/{id}", (string id) => Burn.Milliseconds(30));
                web.MapGet("/teapot", () => Results.StatusCode(418));
            },
            options => options.Requests.CpuUsageDetail = detail);
        using MeterProvider provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter("Picollo.AspNetCore")
            .AddOtlpExporter((exporter, reader) =>
            {
                exporter.Protocol = OtlpExportProtocol.HttpProtobuf;
                exporter.Endpoint = receiver.Endpoint;
                reader.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds = 1_000_000;
            })
            .Build();
        await app.CountsAfterAsync("/burn/1", "/burn/2", "/teapot", "/missing");
        provider.ForceFlush(30_000).Should().BeTrue();

        // opentelemetry/proto/metrics/v1/metrics.proto: resource_metrics 1, scope_metrics 2, scope 1 and metrics 2, name 1 and unit 3, histogram 9.
        ProtobufMessage metric = new ProtobufMessage(receiver.Requests.Should().ContainSingle().Which.Body)
            .Message(1).Messages(2).Single(scope => scope.Message(1).Text(1) == "Picollo.AspNetCore").Message(2);
        (metric.Text(1), metric.Text(3)).Should().Be(("picollo.http.server.request.cpu.time", "s"));
        List<Point> points = [.. metric.Message(9).Messages(1).Select(Point.Read)];
        string[] modes = detail == CpuUsageDetail.TotalOnly ? [""] : ["user", "system"];
        foreach (string mode in modes)
        {
            Dictionary<string, string> tags = mode.Length > 0 ? new() { ["cpu.mode"] = mode } : [];
            PointOf(new(tags) { ["http.request.method"] = "GET", ["http.response.status_code"] = "200", ["http.route"] = "/burn/{id}" }).Count.Should().Be(2);
            PointOf(new(tags) { ["http.request.method"] = "GET", ["http.response.status_code"] = "418", ["http.route"] = "/teapot" }).Count.Should().Be(1);
            PointOf(new(tags) { ["http.request.method"] = "GET", ["http.response.status_code"] = "404" }).Count.Should().Be(1);
        }

        points.Should().HaveCount(3 * modes.Length);
        List<Point> burns = [.. points.Where(point => point.Tags.GetValueOrDefault("http.route") == "/burn/{id}")];
        burns.Sum(point => point.Sum).Should().BeInRange(0.055, 3);
        burns.MaxBy(point => point.Sum)!.Tags.GetValueOrDefault("cpu.mode", "").Should().Be(modes[0], "the requests have computed");
        burns.Should().OnlyContain(point => point.Bounds.SequenceEqual(
            new[] { 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 }));

        Point PointOf(Dictionary<string, string> tags) =>
            points.Should().ContainSingle(point => point.Tags.Count == tags.Count && !point.Tags.Except(tags).Any()).Which;
    }

    [Theory]
    [InlineData(CpuUsageDetail.TotalOnly, 1)]
    [InlineData(CpuUsageDetail.UserAndKernel, 2)]
    public async Task Listeners_and_loggers_that_throw_affect_neither_requests_nor_each_other(CpuUsageDetail detail, int measurements)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/x", () => "x"),
            options =>
            {
                options.Requests.CpuUsageDetail = detail;
                options.Requests.CpuBudget = TimeSpan.FromTicks(1);
            });
        int lines = 0;
        app.Log.OnLine = line =>
        {
            if (line.Category == RequestReporter.LogCategory)
            {
                Interlocked.Increment(ref lines);
                throw new InvalidOperationException("from a logger");
            }
        };
        int calls = 0;
        using MeterListener listener = Listen(app.Services, (_, _) =>
        {
            Interlocked.Increment(ref calls);
            throw new InvalidOperationException("from a listener");
        });
        (await app.SendAsync("/x", "/x")).Should().Equal(200, 200);

        (await app.GetCountsAsync(2)).Should().Equal(("GET", "/x", 2));
        await app.StopAsync();
        (calls, lines).Should().Be((2 * measurements, 2));
        app.Log.Of("Microsoft.AspNetCore.Server.Kestrel").Should().NotContain(line => line.Event.Name == "ApplicationError");
    }

    [Fact]
    public async Task Failures_of_the_measurement_itself_are_not_swallowed()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/x", () => Results.NoContent()), build: builder => builder.Environment.EnvironmentName = "Production");
        app.Routes.Get("GET", "/x").HistogramOf(RunFact.CpuTime)!.Dispose();

        (await app.Client.GetAsync("/x")).StatusCode.Should().Be(HttpStatusCode.InternalServerError);
        app.Log.Of("Microsoft.AspNetCore.Server.Kestrel").Count(line => line.Event.Name == "ApplicationError").Should().Be(1);
    }

    [Fact]
    public async Task Requests_for_the_page_are_not_recorded()
    {
        ConcurrentQueue<object?> routes = new();
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/x", () => "x");
        });
        using MeterListener listener = Listen(app.Services, (_, tags) => routes.Enqueue(tags["http.route"]));
        await app.SendAsync("/picollo", "/picollo/metrics", "/x");
        await app.StopAsync();

        app.Routes.Page.HistogramOf(RunFact.CpuTime)!.TotalCount.Should().Be(2);
        routes.Should().Equal("/x");
    }

    [Fact]
    public void The_meter_is_created_by_the_factory_of_the_application_and_is_disabled_without_listeners()
    {
        using ServiceProvider services = new ServiceCollection().AddPicollo().BuildServiceProvider();
        CpuTimeInstrument instrument = services.GetRequiredService<CpuTimeInstrument>();
        instrument.IsEnabled.Should().BeFalse();
        using MeterListener listener = Listen(services, (_, _) => { });
        instrument.IsEnabled.Should().BeTrue();
    }

    internal static MeterListener Listen(
        IServiceProvider services, Action<double, Dictionary<string, object?>> onMeasurement, string name = CpuTimeInstrument.Name)
    {
        IMeterFactory factory = services.GetRequiredService<IMeterFactory>();
        MeterListener listener = new()
        {
            InstrumentPublished = (instrument, self) =>
            {
                if (instrument.Name == name && instrument.Meter.Scope == factory)
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, measurement, tags, _) => onMeasurement(measurement, new(tags.ToArray())));
        listener.Start();
        return listener;
    }

    private sealed record Point(Dictionary<string, string> Tags, ulong Count, double Sum, double[] Bounds)
    {
        // HistogramDataPoint: count 4, sum 5, explicit_bounds 7, attributes 9; KeyValue: key 1, value 2; AnyValue: string 1, int 3.
        public static Point Read(ProtobufMessage point) => new(
            point.Messages(9).ToDictionary(tag => tag.Text(1), tag => tag.Message(2).Has(3) ? $"{tag.Message(2).Number(3)}" : tag.Message(2).Text(1)),
            point.Number(4),
            point.Double(5),
            [.. point.Packed(7).Select(BitConverter.UInt64BitsToDouble)]);
    }
}
