using System.Diagnostics.Metrics;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Tests.Meters;

public class MeterBridgeTests
{
    private const string ServerDuration = "http.server.request.duration";
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

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

        string page = await server.Client.GetStringAsync("/picollo");
        page.Should().Contain("<bdi>order.duration{shop.country=&quot;de&quot;}</bdi>").And.Contain("<bdi>order.size</bdi>");
        foreach ((string name, double milliseconds) in new[] { ("p50", 10.0), ("p90", 18), ("p99", 19.8), ("p99.9", 19.98), ("p99.99", 200), ("max", 400) })
        {
            string cell = page[(page.IndexOf($"<td data-name=\"{name}\">", StringComparison.Ordinal) + $"<td data-name=\"{name}\">".Length)..];
            double.Parse(cell[..cell.IndexOf('<')], System.Globalization.CultureInfo.InvariantCulture).Should().BeApproximately(milliseconds, milliseconds / 100, name);
        }

        JsonElement[] histograms = [.. (await JsonAsync(server)).GetProperty("histograms").EnumerateArray()];
        histograms.Select(one => (one.GetProperty("name").GetString(), one.GetProperty("unit").GetString())).Should()
            .Equal(("order.duration", "seconds"), ("order.size", "bytes"));
        histograms[0].GetProperty("values").GetProperty("p99.99").GetDouble().Should().BeApproximately(0.2, 0.002);

        string[] metrics = await MetricsAsync(server);
        metrics.Should().Contain("# HELP order_duration_seconds Time to place an order.").And.Contain("# TYPE order_duration_seconds histogram")
            .And.Contain("order_duration_seconds_count{shop_country=\"de\"} 20000")
            .And.Contain("order_size_bytes_count 1")
            .And.Contain("picollo_meters_overflow_measurements_total 0");
    }

    [Fact]
    public async Task Without_the_middleware_the_duration_of_requests_comes_from_the_server()
    {
        await using PageServer server = await StartAsync(_ => { });

        await server.Client.GetStringAsync("/hello");

        HdrHistogramRegistration duration = await WaitForAsync(server.Registry, ServerDuration);
        duration.Labels.Should().Contain(new KeyValuePair<string, string>("http.route", "/hello"))
            .And.Contain(new KeyValuePair<string, string>("http.response.status_code", "200"));
        duration.Description.Unit.Should().Be(HdrHistogramDescription.Nanoseconds.Unit);
        (await MetricsAsync(server)).Where(line => line.StartsWith("http_server_request_duration_seconds_count", StringComparison.Ordinal)
            && line.Contains("/hello", StringComparison.Ordinal)).Should().ContainSingle().Which.Should().EndWith(" 1");
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

        await WaitForAsync(server.Registry, "kestrel.connection.duration", () => server.Client.Dispose());
        server.Registry.Registrations.Select(one => one.Name).Should().NotContain([ServerDuration, CpuTimeInstrument.Name]);
        using HttpClient client = server.CreateClient();
        string[] metrics = (await client.GetStringAsync("/picollo/metrics")).Split('\n');
        metrics.Where(line => line.StartsWith("http_server_request_duration_seconds_count", StringComparison.Ordinal)
            && line.Contains("/hello", StringComparison.Ordinal)).Should().ContainSingle().Which.Should().EndWith(" 1");
    }

    [Fact]
    public async Task Requests_of_HTTP_clients_are_recorded()
    {
        await using PageServer server = await StartAsync(_ => { }, options => options.Meters.AddMeter("System.Net.Http"));
        using Meter otherClients = new("System.Net.Http"); // a second meter with this name
        using HttpClient client = new() { BaseAddress = server.Address };

        await client.GetStringAsync("/hello");

        await WaitForAsync(server.Registry, "http.client.request.duration");
    }

    [Fact]
    public async Task Meters_of_another_application_in_the_process_are_not_recorded()
    {
        await using PageServer server = await StartAsync(_ => { });
        await using PageServer other = await StartAsync(_ => { });

        await other.Client.GetStringAsync("/hello");
        await WaitForAsync(other.Registry, ServerDuration);

        server.Registry.Registrations.Select(one => one.Name).Should().NotContain(ServerDuration);
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
        (await server.Client.GetStringAsync("/picollo")).Should().NotContain("Meters:");

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
        (await JsonAsync(server)).GetProperty("meters").GetRawText().Should().Be(
            "{\"unavailableReason\":null,\"series\":1,\"negative\":1,\"notANumber\":2,\"overflow\":3,\"refusedInstruments\":0}");
        (await server.Client.GetStringAsync("/picollo")).Should().Contain(
            "<p class=\"nothing\">Meters: 1 negative values that were not recorded; "
            + "2 values that are not finite numbers and were not recorded; 3 values in overflow series (<code>MaxSeries</code> is 1).</p>");
    }

    [Fact]
    public async Task Without_meters_no_listener_is_started()
    {
        await using PageServer server = await PageServer.StartAsync();

        server.Application.Services.GetRequiredService<MeterBridge>().Histograms.Should().BeNull();
        (await JsonAsync(server)).GetProperty("meters").ValueKind.Should().Be(JsonValueKind.Null);
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

        histogram.Enabled.Should().BeFalse("the application has ended");
    }

    [Fact]
    public void The_options_are_bound()
    {
        Dictionary<string, string?> settings = new()
        {
            ["Picollo:Meters:MeterNames:0"] = "System.Net.Http",
            ["Picollo:Meters:MeterNames:1"] = "MyApp*",
            ["Picollo:Meters:MaxSeries"] = "7",
        };
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection(settings).Build();
        var services = new ServiceCollection();
        services.AddPicollo();
        services.Configure<PicolloOptions>(configuration.GetSection("Picollo"));
        using ServiceProvider provider = services.BuildServiceProvider();

        MeterHistogramsOptions options = provider.GetRequiredService<IOptions<PicolloOptions>>().Value.Meters;

        options.MeterNames.Should().Equal("System.Net.Http", "MyApp*");
        options.MaxSeries.Should().Be(7);
    }

    internal static async Task<JsonElement> JsonAsync(PageServer server) =>
        JsonDocument.Parse(await server.Client.GetStringAsync("/picollo/json")).RootElement;

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
    private static async Task<HdrHistogramRegistration> WaitForAsync(HdrHistogramRegistry registry, string name, Action? before = null)
    {
        before?.Invoke();
        DateTime end = DateTime.UtcNow + Patience;
        while (true)
        {
            if (registry.Registrations.FirstOrDefault(one => one.Name == name) is { } found)
            {
                return found;
            }

            (DateTime.UtcNow < end).Should().BeTrue("{0} should have been recorded", name);
            await Task.Delay(5);
        }
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
            (await MeterBridgeTests.JsonAsync(server)).GetProperty("meters").GetProperty("unavailableReason").GetString().Should()
                .Contain("MetricsSupport");
        }
        finally
        {
            AppContext.SetSwitch(MeterHistograms.SwitchName, true);
        }
    }
}
