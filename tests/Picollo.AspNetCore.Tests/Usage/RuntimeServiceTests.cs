using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Reading;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Tests.Usage;

/// <summary>Tests the data about the runtime of this process on the page, in JSON and in the exposition.</summary>
public class RuntimeServiceTests
{
    private const string Delay = "dotnet.thread_pool.work_item.delay";

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_page_has_a_separate_table_for_the_runtime()
    {
        await using PageServer server = await StartAsync();
        server.Registry.Add("order_size", HdrHistogram.Create());

        string page = await server.Client.GetStringAsync("/picollo");

        string runtime = Between(page, "<caption>Runtime", "</table>");
        runtime.Should().Contain(Delay).And.Contain("gc.reason").And.NotContain("order_size");
        Between(page, "<caption>Histograms", "</table>").Should().Contain("order_size").And.NotContain("dotnet.");
        page.Should().MatchRegex("Since the start: collections: [0-9,]+ .generation 1 and above: [0-9,]+,\ngeneration 2: [0-9,]+. with ");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task JSON_has_totals_and_the_distributions_are_among_the_histograms()
    {
        await using PageServer server = await StartAsync();

        JsonElement json = await server.JsonAsync();

        JsonElement runtime = json.GetProperty("runtime");
        runtime.GetProperty("gen2CollectionsTotal").GetInt64().Should().BeGreaterThanOrEqualTo(1);
        string metrics = await server.Client.GetStringAsync("/picollo/metrics");
        metrics.Should().Contain($"dotnet_gc_collections_total{{gc_heap_generation=\"gen2\"}} {runtime.GetProperty("gen2CollectionsTotal")}\n");
        runtime.GetProperty("allocatedBytesTotal").GetInt64().Should().BePositive();
        runtime.GetProperty("compiledMethodsTotal").GetInt64().Should().BePositive();
        runtime.GetProperty("gcPauseShare").GetDouble().Should().BeInRange(0, 1);
        runtime.GetProperty("unavailableReasons").GetArrayLength().Should().Be(0);
        json.GetProperty("histograms").EnumerateArray().Select(one => one.GetProperty("name").GetString()).Distinct().Should().Equal(
            "dotnet.gc.pause.duration", "dotnet.gc.suspension.duration", "dotnet.lock.wait.duration", Delay);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_exposition_has_histograms_and_counters_with_the_names_of_the_runtime_meter()
    {
        await using PageServer server = await StartAsync();

        string text = await server.Client.GetStringAsync("/picollo/metrics");

        text.Should().Contain("# TYPE dotnet_thread_pool_work_item_delay_seconds histogram")
            .And.Contain("dotnet_gc_pause_duration_seconds_count{gc_heap_generation=\"gen2\",gc_reason=\"induced\"}");
        foreach (string counter in (string[])
            [
                "dotnet_gc_collections_total{gc_heap_generation=\"gen2\"}", "dotnet_gc_pause_time_seconds_total",
                "dotnet_gc_heap_total_allocated_bytes_total", "dotnet_exceptions_total", "dotnet_jit_compiled_methods_total",
                "dotnet_jit_compilation_time_seconds_total",
            ])
        {
            text.Should().Contain("\n" + counter + " ");
        }
    }

    [Fact]
    public async Task By_default_the_runtime_is_not_measured()
    {
        await using PageServer server = await PageServer.StartAsync();

        server.Registry.Registrations.Should().BeEmpty();
        (await server.JsonAsync()).GetProperty("runtime").ValueKind.Should().Be(JsonValueKind.Null);
        (await server.Client.GetStringAsync("/picollo/metrics")).Should().NotContain("dotnet_");
        (await server.Client.GetStringAsync("/picollo")).Should().NotContain("<caption>Runtime");
    }

    [Fact]
    public async Task The_meter_ends_with_the_host()
    {
        PageServer server = await PageServer.StartAsync(configure: options => options.MeasureRuntime = true);
        HdrHistogramRegistry registry = server.Registry;
        RuntimeService usage = server.Application.Services.GetRequiredService<RuntimeService>();
        registry.TryGet(Delay, out _).Should().BeTrue();
        usage.Totals.Should().NotBeNull();

        await server.Application.StopAsync();

        registry.Registrations.Should().BeEmpty();
        usage.Totals.Should().BeNull();
        await server.DisposeAsync();
    }

    [Fact]
    public async Task A_meter_of_the_application_in_the_same_registry_is_an_error_at_startup()
    {
        HdrHistogramRegistry registry = new();
        using RuntimeMeter own = RuntimeMeter.Start(registry);

        Func<Task> start = () => PageServer.StartAsync(
            configure: options => options.MeasureRuntime = true, build: builder => builder.Services.AddSingleton(registry));

        (await start.Should().ThrowAsync<ArgumentException>()).WithMessage("*is already registered*");
        registry.TryGet(Delay, out _).Should().BeTrue("the meter of the application is still running");
    }

    [Fact]
    public async Task Rates_cover_the_window_of_the_reading()
    {
        Clock clock = new();
        await using ServiceProvider services = new ServiceCollection()
            .AddLogging()
            .AddSingleton<TimeProvider>(clock)
            .AddPicollo(options => options.MeasureRuntime = true)
            .BuildServiceProvider();
        RuntimeService usage = services.GetRequiredService<RuntimeService>();
        await usage.StartAsync(CancellationToken.None);
        PageReader reader = services.GetRequiredService<PageReader>();
        RuntimeTotals before = usage.Totals!;
        for (int i = 0; i < 10; i++)
        {
            GC.KeepAlive(new byte[10_000_000]);
            GC.Collect();
            FluentActions.Invoking(() => throw new InvalidOperationException()).Should().Throw<InvalidOperationException>();
        }

        clock.Advance(100);
        RuntimeReading first = reader.Read().Runtime!;
        RuntimeTotals after = usage.Totals!;
        clock.Advance(1000);
        RuntimeReading second = reader.Read().Runtime!;

        // Other tests that run meanwhile count, too.
        first.ExceptionRate.Should().BeInRange(10 / 100.0, (after.ExceptionCount - before.ExceptionCount) / 100.0 + 1);
        first.AllocationRate.Should().BeGreaterThanOrEqualTo(90_000_000 / 100.0);
        (first.PauseShare * 100).Should().BeInRange(double.Epsilon, (after.GcPauseTime - before.GcPauseTime).TotalSeconds * 1.01 + 0.1);
        second.AllocationRate.Should().BeLessThan(first.AllocationRate, "its window is only the second one, which is ten times as long");
        second.Totals.Gen2CollectionCount.Should().BeGreaterThanOrEqualTo(before.Gen2CollectionCount + 10);
    }

    /// <summary>Starts an application, and waits until it has values of a collection and of the thread pool.</summary>
    private static async Task<PageServer> StartAsync()
    {
        PageServer server = await PageServer.StartAsync(configure: options => options.MeasureRuntime = true);
        GC.Collect();
        await EventStreamTests.EventuallyAsync(() =>
            Has("dotnet.gc.pause.duration") && Has(Delay));
        return server;

        bool Has(string name) => server.Registry.Registrations.Any(one => one.Name == name && one.Histogram.TotalCount > 0);
    }

    private static string Between(string text, string start, string end)
    {
        int from = text.IndexOf(start, StringComparison.Ordinal);
        from.Should().BeGreaterThan(0, "there should be {0}", start);
        return text[from..text.IndexOf(end, from, StringComparison.Ordinal)];
    }
}
