using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using Picollo.Export.Tests;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>Compares the metrics of an ASP.NET Core application that exports with Picollo and with the OpenTelemetry SDK. The SDK also
/// measures the requests to the receivers, which use POST. Runs alone, because other tests cause collections.</summary>
[Collection(Alone.Name)]
public sealed class SdkMetricsTests : IAsyncLifetime
{
    private const string Duration = "http.server.request.duration", Active = "http.server.active_requests", ProcessTime = "process.cpu.time";
    private const int Held = 3;

    private readonly TaskCompletionSource _release = new();
    private OtlpReceiver _sdk = null!;
    private OtlpReceiver _own = null!;

    public async Task InitializeAsync() => (_sdk, _own) = (await OtlpReceiver.StartAsync(), await OtlpReceiver.StartAsync());

    public async Task DisposeAsync()
    {
        await _sdk.DisposeAsync();
        await _own.DisposeAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Metrics_of_the_conventions_equal_those_of_the_SDK(bool isDelta)
    {
        await using WebApplication app = await StartAsync(isDelta);
        using HttpClient client = new() { BaseAddress = new(app.Urls.Single()) };
        foreach (string path in (string[])["/orders/1", "/orders/2", "/missing/1", "/fails"])
        {
            (await client.GetAsync(path)).Dispose();
        }

        Task<string>[] held = [.. Enumerable.Range(0, Held).Select(_ => client.GetStringAsync("/held"))];
        await WaitForAsync(point => point.Metric == Active && point.Attributes["http.route"] == "/held" && point.Sum == Held);
        GC.Collect(1);
        GC.Collect();
        GC.TryStartNoGCRegion(200_000_000).Should().BeTrue("no collection may occur between the two exports");
        app.Services.GetRequiredService<MeterProvider>().ForceFlush().Should().BeTrue();
        await WaitForAsync(point => point.Metric == ProcessTime); // an export that may have started earlier
        await WaitForAsync(point => point.Metric == ProcessTime);
        (OtlpDataPoint[] own, OtlpDataPoint[] sdk) = ([.. _own.Points], [.. _sdk.Points]);
        GC.EndNoGCRegion();

        Dictionary<string, double> active = Values(own, Active, "http.request.method");
        active.Should().Equal(new Dictionary<string, double> { ["GET"] = Held });
        Values(sdk, Active, "http.request.method").Should().Contain(active);
        Values(own, "dotnet.gc.collections", "gc.heap.generation").Should().Equal(Values(sdk, "dotnet.gc.collections", "gc.heap.generation"))
            .And.ContainKeys("gen1", "gen2");
        _release.SetResult();
        await Task.WhenAll(held);
        await app.StopAsync();
        app.Services.GetRequiredService<MeterProvider>().ForceFlush().Should().BeTrue();

        string[] attributes = ["error.type", "http.request.method", "http.response.status_code", "http.route"];
        Dictionary<string, double> durations = Values(_own.Points, Duration, attributes);
        durations.Should().Equal(Values(
            _sdk.Points.Where(point => point.Attributes.GetValueOrDefault("http.request.method") != "POST"), Duration, attributes));
        durations.Should().Contain(" GET int 200 /orders/{id}", 2).And.Contain("System.InvalidOperationException GET int 500 /fails", 1)
            .And.Contain(" GET int 200 /held", Held).And.HaveCount(4);

        _own.Points.First(point => point.Metric == Duration).Bounds.Should().Equal(_sdk.Points.First(point => point.Metric == Duration).Bounds)
            .And.HaveCount(14);

        // The differences that docs/opentelemetry.md lists.
        AttributesOf(_sdk, Duration, "GET").Except(AttributesOf(_own, Duration, "GET")).Should()
            .BeEquivalentTo("network.protocol.version", "url.scheme");
        AttributesOf(_sdk, Active, "GET").Should().BeEquivalentTo("http.request.method", "url.scheme");
        AttributesOf(_own, Active, "GET").Should().BeEquivalentTo("http.request.method", "http.route");
        AttributesOf(_sdk, "dotnet.exceptions").Should().Equal("error.type");
        AttributesOf(_own, "dotnet.exceptions").Should().BeEmpty();
        AttributesOf(_own, ProcessTime).Should().BeEquivalentTo(AttributesOf(_sdk, ProcessTime));

        Dictionary<string, (string Unit, string Kind, ulong Temporality)> expected = KindsOf(_sdk.Points);
        Dictionary<string, (string Unit, string Kind, ulong Temporality)> actual =
            KindsOf(_own.Points.Where(point => !point.Metric.StartsWith("picollo.", StringComparison.Ordinal)));
        actual.Where(metric => !OwnHistograms.Contains(metric.Key)).Should().BeSubsetOf(expected).And.HaveCount(9);
    }

    // The conventions have no such metrics.
    private static readonly string[] OwnHistograms =
        ["dotnet.gc.pause.duration", "dotnet.gc.suspension.duration", "dotnet.lock.wait.duration", "dotnet.thread_pool.work_item.delay"];

    private async Task<WebApplication> StartAsync(bool isDelta)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddPicollo(options => (options.Requests.MeasureAll, options.MeasureRuntime) = (true, true));
        builder.Services.AddPicolloOtlpExporter(options =>
        {
            (options.Endpoint, options.Interval) = (_own.Endpoint, TimeSpan.FromMilliseconds(100));
            (options.UseDeltaTemporality, options.ExcludeConventionMetrics) = (isDelta, false);
        });
        builder.Services.AddOpenTelemetry().WithMetrics(metrics => metrics
            .AddMeter("Microsoft.AspNetCore.Hosting", "System.Runtime")
            .AddProcessInstrumentation()
            .AddOtlpExporter((exporter, reader) =>
            {
                (exporter.Endpoint, exporter.Protocol) = (_sdk.Endpoint, OtlpExportProtocol.HttpProtobuf);
                reader.TemporalityPreference =
                    isDelta ? MetricReaderTemporalityPreference.Delta : MetricReaderTemporalityPreference.Cumulative;
            }));
        WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.MapGet("/orders/{id}", (int id) => id);
        app.MapGet("/missing/{id}", (int id) => Results.NotFound());
        app.MapGet("/fails", void () => throw new InvalidOperationException());
        app.MapGet("/held", async () =>
        {
            await _release.Task;
            return "";
        });
        await app.StartAsync();
        return app;
    }

    /// <summary>Waits for a request to Picollo's receiver that has a data point.</summary>
    private async Task WaitForAsync(Func<OtlpDataPoint, bool> isExpected)
    {
        int next = _own.Requests.Count;
        while (!_own.Requests.Skip(next).Any(request => OtlpDataPoint.Read(request.Body).Any(isExpected)))
        {
            await _own.WaitAsync();
        }
    }

    /// <summary>Returns the values of a metric by attributes: the sum of deltas, or the last totals.</summary>
    private static Dictionary<string, double> Values(IEnumerable<OtlpDataPoint> points, string metric, params string[] attributes) => points
        .Where(point => point.Metric == metric)
        .GroupBy(point => string.Join(';', point.Attributes))
        .Select(series => (series.Last().Attributes, Value: series.TakeLast(series.Last().Temporality == Delta ? series.Count() : 1).Sum(ValueOf)))
        .GroupBy(series => string.Join(' ', attributes.Select(key => series.Attributes.GetValueOrDefault(key, ""))))
        .ToDictionary(group => group.Key, group => group.Sum(series => series.Value))
        .Where(series => series.Value > 0).ToDictionary();

    private const ulong Delta = 1;

    private static double ValueOf(OtlpDataPoint point) => point.Kind == "histogram" ? point.Count : point.Sum;

    private static IEnumerable<string> AttributesOf(OtlpReceiver receiver, string metric, string? method = null) => receiver.Points
        .Where(point => point.Metric == metric && (method is null || point.Attributes["http.request.method"] == method))
        .SelectMany(point => point.Attributes.Keys).Distinct();

    private static Dictionary<string, (string Unit, string Kind, ulong Temporality)> KindsOf(IEnumerable<OtlpDataPoint> points) =>
        points.Select(point => (point.Metric, (point.Unit, point.Kind, point.Temporality))).Distinct().ToDictionary();
}
