using System.Diagnostics.Metrics;
using Microsoft.Extensions.Hosting;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Diagnostics;

namespace Picollo.AspNetCore.Tests.Meters;

public class MeterBridgeTests
{
    private const string ServerDuration = "http.server.request.duration";

    [Fact]
    public async Task One_line_of_code_shows_the_instruments_of_the_application_with_all_percentiles()
    {
        await using PageServer server = await PageServer.StartAsync(configure: options => options.Meters.AddMeter("Shop*"));
        using Meter meter = new("Shop.Orders");
        Histogram<double> duration = meter.CreateHistogram<double>("order.duration", "s", "Time to place an order.");
        Histogram<int> size = meter.CreateHistogram<int>("order.size", "By");
        for (int i = 1; i <= 20_000; i++)
        {
            double seconds = i == 20_000 ? 0.4 : i > 19_990 ? 0.2 : i * 1e-6;
            duration.Record(seconds, new KeyValuePair<string, object?>("shop.country", "de"));
        }

        size.Record(700);

        JsonElement[] histograms = [.. (await server.JsonAsync()).GetProperty("histograms").EnumerateArray()];
        histograms.Select(one => (one.GetProperty("name").GetString(), one.GetProperty("unit").GetString())).Should()
            .Equal(("order.duration", "seconds"), ("order.size", "bytes"));
        foreach ((string name, double seconds) in new[] { ("p50", 0.01), ("p99", 0.0198), ("p99.9", 0.01998), ("p99.99", 0.2) })
        {
            histograms[0].GetProperty("values").GetProperty(name).GetDouble().Should().BeApproximately(seconds, seconds / 100, name);
        }

        string[] metrics = await MetricsAsync(server);
        metrics.Should().Contain("# HELP order_duration_seconds Time to place an order.").And.Contain("# TYPE order_duration_seconds histogram")
            .And.Contain("order_duration_seconds_count{shop_country=\"de\"} 20000")
            .And.Contain("order_size_bytes_count 1")
            .And.Contain("picollo_meters_overflow_measurements_total 0");
    }

    [Fact]
    public async Task Without_the_middleware_the_duration_of_requests_comes_from_the_server()
    {
        await using PageServer server = await StartAsync(_ => { }), other = await StartAsync(_ => { });

        await server.Client.GetStringAsync("/hello");

        HdrHistogramRegistration duration = await WaitForAsync(server.Registry, ServerDuration);
        duration.Labels.Should().Contain(new KeyValuePair<string, string>("http.route", "/hello"))
            .And.Contain(new KeyValuePair<string, string>("http.response.status_code", "200"));
        duration.Description.Unit.Should().Be(HdrHistogramDescription.Nanoseconds.Unit);
        (await MetricsAsync(server)).Where(line => line.StartsWith("http_server_request_duration_seconds_count", StringComparison.Ordinal)
            && line.Contains("/hello", StringComparison.Ordinal)).Should().ContainSingle().Which.Should().EndWith(" 1");
        other.Registry.Registrations.Should().BeEmpty("its meters belong to another application in the process");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Measurements_of_the_middleware_are_not_recorded_twice(bool measureAll)
    {
        await using PageServer server = await StartAsync(
            application =>
            {
                if (!measureAll)
                {
                    application.UsePicollo();
                }
            },
            options =>
            {
                options.Requests.MeasureAll = measureAll;
                options.Meters.AddMeter("*");
            });

        await server.Client.GetStringAsync("/hello");

        server.Client.Dispose();
        await WaitForAsync(server.Registry, "kestrel.connection.duration");
        server.Registry.Registrations.Select(one => one.Name).Should().NotContain([ServerDuration, CpuTimeInstrument.Name]);
        using HttpClient client = server.CreateClient();
        string[] metrics = (await client.GetStringAsync("/picollo/metrics")).Split('\n');
        metrics.Where(line => line.StartsWith("http_server_request_duration_seconds_count", StringComparison.Ordinal)
            && line.Contains("/hello", StringComparison.Ordinal)).Should().ContainSingle().Which.Should().EndWith(" 1");
    }

    [Fact]
    public async Task Unrecorded_measurements_are_shown()
    {
        await using PageServer server = await PageServer.StartAsync(configure: options =>
        {
            options.Meters.AddMeter("Test.NotRecorded");
            options.Meters.MaxSeries = 1;
        });
        using Meter meter = new("Test.NotRecorded");
        Histogram<double> histogram = meter.CreateHistogram<double>("d", "s");
        histogram.Record(-1);
        histogram.Record(double.NaN);
        histogram.Record(double.NaN);
        histogram.Record(1);
        for (int i = 0; i < 3; i++)
        {
            histogram.Record(1, new KeyValuePair<string, object?>("a", i));
        }

        (await MetricsAsync(server)).Should()
            .Contain("picollo_meters_unrecorded_measurements_total{reason=\"negative\"} 1")
            .And.Contain("picollo_meters_unrecorded_measurements_total{reason=\"not_a_number\"} 2")
            .And.Contain("picollo_meters_overflow_measurements_total 3")
            .And.Contain("picollo_meters_refused_instruments_total 0")
            .And.Contain("d_seconds_count{otel_metric_overflow=\"true\"} 3");
    }

    [Fact]
    public async Task Without_meters_no_listener_is_started()
    {
        await using PageServer server = await PageServer.StartAsync();

        server.Application.Services.GetRequiredService<MeterBridge>().Histograms.Should().BeNull();
        (await server.JsonAsync()).GetProperty("meters").ValueKind.Should().Be(JsonValueKind.Null);
        (await MetricsAsync(server)).Should().NotContain(line => line.Contains("picollo_meters", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Measurements_of_other_services_are_recorded_from_their_start_until_the_end()
    {
        using Meter meter = new("Test.Starting");
        Histogram<int> histogram = meter.CreateHistogram<int>("starting");
        HdrHistogramRegistry registry;
        await using (PageServer server = await PageServer.StartAsync(
            configure: options => options.Meters.AddMeter(meter.Name),
            build: builder => builder.Services.Insert(0, ServiceDescriptor.Singleton<IHostedService>(new Starting(histogram)))))
        {
            registry = server.Registry;
            registry.Registrations.Should().ContainSingle().Which.Histogram.TotalCount.Should().Be(1);
        }

        // For a moment, an application of another test may have enabled it, with the meters "*".
        await Eventually.IsTrueAsync(() => !histogram.Enabled, "the application has ended");
    }

    private static async Task<string[]> MetricsAsync(PageServer server) =>
        (await server.Client.GetStringAsync("/picollo/metrics")).Split('\n');

    private static Task<PageServer> StartAsync(Action<WebApplication> map, Action<PicolloOptions>? configure = null) => PageServer.StartAsync(
        application =>
        {
            map(application);
            application.MapPicollo();
            application.MapGet("/hello", () => "Hello");
        },
        configure ?? (options => options.Meters.AddMeter("Microsoft.AspNetCore.Hosting")));

    // The server records the duration after it has sent the response.
    private static async Task<HdrHistogramRegistration> WaitForAsync(HdrHistogramRegistry registry, string name)
    {
        await Eventually.IsTrueAsync(() => registry.Registrations.Any(one => one.Name == name), name);
        return registry.Registrations.First(one => one.Name == name);
    }

    private sealed class Starting(Histogram<int> histogram) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            histogram.Record(1);
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}

/// <summary>Runs in a separate process, because the switch applies to the whole process.</summary>
[Collection(Alone.Name)]
public class DisabledMeterBridgeTests
{
    [Fact]
    public async Task Disabled_meters_are_reported_by_the_log_the_page_and_the_data()
    {
        AppContext.SetSwitch(MeterHistograms.SwitchName, false);
        try
        {
            await using PageServer server = await PageServer.StartAsync(configure: options => options.Meters.AddMeter("*"));

            server.Log.Lines.Should().ContainSingle(line => line.StartsWith("Warning MetersUnavailable: ", StringComparison.Ordinal)
                && line.Contains(MeterHistograms.SwitchName, StringComparison.Ordinal));
            (await server.Client.GetStringAsync("/picollo")).Should().Contain("<p class=\"nothing\">Meters are not recorded. The application has disabled");
            (await server.JsonAsync()).GetProperty("meters").GetProperty("unavailableReason").GetString().Should()
                .Contain("MetricsSupport");
        }
        finally
        {
            AppContext.SetSwitch(MeterHistograms.SwitchName, true);
        }
    }
}
