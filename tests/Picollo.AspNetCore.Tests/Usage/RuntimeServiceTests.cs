using System.Runtime;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Diagnostics;

namespace Picollo.AspNetCore.Tests.Usage;

/// <summary>Tests the data about the runtime of this process on the page, in JSON and in the exposition.</summary>
public class RuntimeServiceTests
{
    private const string Delay = "dotnet.thread_pool.work_item.delay";

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_page_JSON_and_the_exposition_have_the_totals_and_histograms_of_the_runtime()
    {
        await using PageServer server = await PageServer.StartAsync(configure: options => options.MeasureRuntime = true);
        GC.Collect();
        await Eventually.IsTrueAsync(() => Has("dotnet.gc.pause.duration") && Has(Delay));
        server.Registry.Add("order_size", HdrHistogram.Create());

        string page = await server.Client.GetStringAsync("/picollo");
        JsonElement json = await server.JsonAsync();
        double[] before = Totals();
        string metrics = await server.Client.GetStringAsync("/picollo/metrics");
        double[] after = Totals();

        Between(page, "<caption>Runtime", "</table>").Should().Contain(Delay).And.Contain("gc.reason").And.NotContain("order_size");
        Between(page, "<caption>Histograms", "</table>").Should().Contain("order_size").And.NotContain("dotnet.");
        JsonElement runtime = json.GetProperty("runtime");
        metrics.Should()
            .Contain($"dotnet_gc_collections_total{{gc_heap_generation=\"gen2\"}} {runtime.GetProperty("gen2CollectionsTotal")}\n")
            .And.Contain("dotnet_gc_pause_duration_seconds_count{gc_heap_generation=\"gen2\",gc_reason=\"induced\"}");
        string[] names = ["dotnet_gc_collections_total", "dotnet_gc_pause_time_seconds_total", "dotnet_jit_compilation_time_seconds_total"];
        double[] written = [.. names.Select(name => metrics.Split('\n').Where(line => line.StartsWith(name, StringComparison.Ordinal))
            .Sum(line => double.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture)))];
        written.Zip(before, after).Should().OnlyContain(one => one.First >= one.Second && one.First <= one.Third, "each collection counts once");
        runtime.GetProperty("gen2CollectionsTotal").GetInt64().Should().BePositive();
        runtime.GetProperty("allocatedBytesTotal").GetInt64().Should().BePositive();
        runtime.GetProperty("compiledMethodsTotal").GetInt64().Should().BePositive();
        runtime.GetProperty("gcPauseShare").GetDouble().Should().BeInRange(0, 1);
        runtime.GetProperty("unavailableReasons").GetArrayLength().Should().Be(0);
        json.GetProperty("histograms").EnumerateArray().Select(one => one.GetProperty("name").GetString()).Distinct().Should().Equal(
            "dotnet.gc.pause.duration", "dotnet.gc.suspension.duration", "dotnet.lock.wait.duration", Delay, "order_size");

        static double[] Totals() =>
            [GC.CollectionCount(0), GC.GetTotalPauseDuration().TotalSeconds, JitInfo.GetCompilationTime().TotalSeconds];

        bool Has(string name) => server.Registry.Registrations.Any(one => one.Name == name && one.Histogram.TotalCount > 0);
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
        first.AllocationRate.Should().BeInRange(90_000_000 / 100.0, ((after.AllocatedBytes - before.AllocatedBytes) / 100.0) + 1e6);
        (first.PauseShare * 100).Should().BeInRange(double.Epsilon, (after.GcPauseTime - before.GcPauseTime).TotalSeconds * 1.01 + 0.1);
        second.AllocationRate.Should().BeLessThan(first.AllocationRate, "its window is only the second one, which is ten times as long");
        second.Totals.Gen2CollectionCount.Should().BeGreaterThanOrEqualTo(before.Gen2CollectionCount + 10);
    }

    private static string Between(string text, string start, string end)
    {
        int from = text.IndexOf(start, StringComparison.Ordinal);
        from.Should().BeGreaterThan(0, "there should be {0}", start);
        return text[from..text.IndexOf(end, from, StringComparison.Ordinal)];
    }
}
