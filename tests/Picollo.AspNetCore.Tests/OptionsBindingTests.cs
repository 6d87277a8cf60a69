using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Tests;

/// <summary>Tests options from a configuration.</summary>
public class OptionsBindingTests
{
    // All keys. No value is the default.
    private static readonly Dictionary<string, string> Settings = new()
    {
        ["Requests:MeasureAll"] = "True",
        ["Requests:CpuUsageDetail"] = "UserAndKernel",
        ["Requests:MeasureAllocations"] = "True",
        ["Requests:MeasureAfterResponse"] = "False",
        ["Requests:CollectExemplars"] = "True",
        ["Requests:AddServerTiming"] = "True",
        ["Requests:CpuBudget"] = "00:00:00.1000000",
        ["Requests:LatencyBreakdown"] = "True",
        ["Requests:LatencyBudget"] = "00:00:02",
        ["Requests:ShowPaths"] = "True",
        ["Requests:MaxRoutes"] = "9",
        ["MeasureRuntime"] = "True",
        ["EnableProfiling"] = "True",
        ["MaxPageViewers"] = "3",
        ["PageToken"] = "0123456789abcdef",
        ["CpuWorkers:WorkerCount"] = "4",
        ["CpuWorkers:MaxExtraThreads"] = "5",
        ["CpuWorkers:TimeSlice"] = "00:00:00.0050000",
        ["CpuWorkers:Name"] = "configured",
        ["CpuWorkerQueueLimit"] = "7",
        ["Meters:MeterNames:0"] = "Shop",
        ["Meters:MeterNames:1"] = "System.Net.*",
        ["Meters:MaxSeries"] = "6",
        ["Meters:Scales:shop.price"] = "100",
    };

    [Fact]
    public void Every_option_is_read_from_the_configuration()
    {
        using ServiceProvider provider = new ServiceCollection().AddPicollo(Section(Settings)).BuildServiceProvider();

        Flatten(provider.GetRequiredService<IOptions<PicolloOptions>>().Value).Should().BeEquivalentTo(Settings);
        Flatten(new PicolloOptions()).Should().NotIntersectWith(Settings);
    }

    [Fact]
    public void The_last_value_of_configurations_and_delegates_takes_effect()
    {
        using ServiceProvider provider = new ServiceCollection()
            .AddPicollo(options => (options.Requests.MaxRoutes, options.CpuWorkers.WorkerCount) = (1, 1))
            .AddPicollo(Section(Settings))
            .Configure<PicolloOptions>(options => options.Requests.MaxRoutes = 2)
            .BuildServiceProvider();

        PicolloOptions options = provider.GetRequiredService<IOptions<PicolloOptions>>().Value;

        (options.Requests.MaxRoutes, options.CpuWorkers.WorkerCount).Should().Be((2, 4));
    }

    [Theory]
    [InlineData("Requests:MaxRoutes", "-1", "*'Picollo:Requests:MaxRoutes'*1 or more*-1*")]
    [InlineData("Requests:MaxRoutes", "many", "*'many'*'Picollo:Requests:MaxRoutes'*Int32*")]
    [InlineData("Requests:MeasureAll", "yes", "*'yes'*'Picollo:Requests:MeasureAll'*Use true or false.")]
    [InlineData("Requests:CpuUsageDetail", "Kernel", "*'Kernel'*'Picollo:Requests:CpuUsageDetail'*Use UserAndKernel or TotalOnly.")]
    [InlineData("Requests:CpuUsageDetail", "7", "*'Picollo:Requests:CpuUsageDetail'*UserAndKernel, TotalOnly*7*")]
    [InlineData("Requests:CpuBudget", "00:00:00", "*'Picollo:Requests:CpuBudget'*above 0 and at most 1 hour*00:00:00*")]
    [InlineData("Requests:CpuBudget", "100", "*'Picollo:Requests:CpuBudget'*at most 1 hour*100 ms is \"00:00:00.1\"*100.00:00:00*")]
    [InlineData("Requests:CpuBudget", "01:00:00.0000001", "*'Picollo:Requests:CpuBudget'*")]
    [InlineData("Requests:LatencyBudget", "00:00:00", "*'Picollo:Requests:LatencyBudget'*above 0 and at most 1 hour*00:00:00*")]
    [InlineData("MaxPageViewers", "0", "*'Picollo:MaxPageViewers'*1 or more*0*")]
    [InlineData("CpuWorkerQueueLimit", "-1", "*'Picollo:CpuWorkerQueueLimit'*0 or more*-1*")]
    [InlineData("CpuWorkers:WorkerCount", "0", "*'Picollo:CpuWorkers:WorkerCount'*1*0*")]
    [InlineData("CpuWorkers:MaxExtraThreads", "1025", "*'Picollo:CpuWorkers:MaxExtraThreads'*1024*1025*")]
    [InlineData("CpuWorkers:TimeSlice", "00:00:00", "*'Picollo:CpuWorkers:TimeSlice'*00:00:00.001*")]
    [InlineData("Meters:MaxSeries", "100001", "*'Picollo:Meters:MaxSeries'*100000*100001*")]
    [InlineData("Meters:MeterNames:0", " ", "*'Picollo:Meters:MeterNames'*empty*")]
    [InlineData("Meters:Scales:shop.price", "0", "*'Picollo:Meters:Scales'*shop.price*1E-30 to 1E+30*0*")]
    [InlineData("Profiling", "true", "No option has the configuration key 'Picollo:Profiling'.")]
    [InlineData("Requests", "true", "'Picollo:Requests' must have keys or elements below it*")]
    [InlineData("requests", "true", "'Picollo:requests' must have keys or elements below it*")]
    [InlineData("Meters:MeterNames", "Shop", "'Picollo:Meters:MeterNames' must have keys or elements below it*")]
    [InlineData("Meters:Scales", "5", "'Picollo:Meters:Scales' must have keys or elements below it*")]
    [InlineData("Requests:MaxRoutes:0", "5", "'Picollo:Requests:MaxRoutes' must have a value*")]
    [InlineData("requests:cpubudget:seconds", "1", "'Picollo:requests:cpubudget' must have a value*")]
    [InlineData("Meters:MeterNames:0:Name", "Shop", "'Picollo:Meters:MeterNames:0' must have a value*")]
    [InlineData("Meters:Scales:shop.price:Cents", "100", "'Picollo:Meters:Scales:shop.price' must have a value*")]
    [InlineData("", "true", "'Picollo' must have keys or elements below it*")]
    [InlineData("Requests:MaxRoute", "5", "No option has the configuration key 'Picollo:Requests:MaxRoute'.")]
    [InlineData("Meters:Names:0", "Shop", "No option has the configuration key 'Picollo:Meters:Names'.")]
    public Task The_host_does_not_start_with_an_invalid_setting(string key, string value, string message) =>
        ShouldNotStartAsync(services => services.AddPicollo(Section(new() { [key] = value })), message);

    [Fact]
    public Task The_error_has_the_key_of_the_option_and_not_of_an_instrument_with_that_name() => ShouldNotStartAsync(
        services => services.AddPicollo(Section(new() { ["Meters:MaxSeries"] = "0", ["Meters:Scales:MaxSeries"] = "5" })),
        "*'Picollo:Meters:MaxSeries'*");

    [Fact]
    public void The_error_does_not_contain_an_invalid_token() => FluentActions
        .Invoking(() => new ServiceCollection().AddPicollo(Section(new() { ["PageToken"] = "s3cr3t" })).BuildServiceProvider()
            .GetRequiredService<IOptions<PicolloOptions>>().Value)
        .Should().Throw<OptionsValidationException>().WithMessage("*'Picollo:PageToken'*16 to 128*").Which.Message.Should().NotContain("s3cr3t");

    [Fact]
    public void A_budget_of_up_to_an_hour_is_accepted()
    {
        foreach (TimeSpan budget in new[] { TimeSpan.FromTicks(1), TimeSpan.FromHours(1) })
        {
            new PicolloOptions { Requests = { CpuBudget = budget } }.Requests.CpuBudget.Should().Be(budget);
            new PicolloOptions { Requests = { LatencyBudget = budget } }.Requests.LatencyBudget.Should().Be(budget);
        }
    }

    [Fact]
    public void The_exporter_is_configured()
    {
        using ServiceProvider provider = new ServiceCollection().AddPicolloOtlpExporter(Section(new()
        {
            ["Endpoint"] = "http://collector:4318/v1/metrics",
            ["Headers:api-key"] = "s3cr3t",
            ["ResourceAttributes:team"] = "a",
            ["Interval"] = "00:00:15",
            ["Timeout"] = "00:00:05",
            ["UseDeltaTemporality"] = "true",
            ["ExcludeConventionMetrics"] = "true",
            ["UseGzip"] = "false",
            ["UseGrpc"] = "true",
            ["UseExponentialHistograms"] = "true",
            ["ExplicitBounds:queue.wait:0"] = "0.5",
            ["ExplicitBounds:queue.wait:1"] = "1.5",
        })).BuildServiceProvider();

        provider.GetRequiredService<IOptions<OtlpExportOptions>>().Value.Should().BeEquivalentTo(new OtlpExportOptions
        {
            Endpoint = new Uri("http://collector:4318/v1/metrics"),
            Headers = { ["api-key"] = "s3cr3t" },
            ResourceAttributes = { ["team"] = "a" },
            Interval = TimeSpan.FromSeconds(15),
            Timeout = TimeSpan.FromSeconds(5),
            UseDeltaTemporality = true,
            ExcludeConventionMetrics = true,
            UseGzip = false,
            UseGrpc = true,
            UseExponentialHistograms = true,
            ExplicitBounds = { ["queue.wait"] = [0.5, 1.5] },
        });
    }

    [Theory]
    [InlineData("Interval", "00:00:00", "*'Picollo:Interval'*00:00:00.001*")]
    [InlineData("Endpoint", "ftp://collector", "*'Picollo:Endpoint'*http or https*")]
    [InlineData("Headers:Content-Type", "s3cr3t", "*'Picollo:Headers'*'Content-Type'*")]
    [InlineData("Endpoint", "https://user:s3cr3t@host:99999/", "*'Picollo:Endpoint'*System.Uri*")]
    [InlineData("Timeout", "5' at 's3cr3t", "*'Picollo:Timeout'*System.TimeSpan*")]
    [InlineData("Headers", "api-key=s3cr3t", "'Picollo:Headers' must have keys or elements below it*")]
    [InlineData("Headers:api-key:0", "s3cr3t", "'Picollo:Headers:api-key' must have a value*")]
    [InlineData("", "s3cr3t", "'Picollo' must have keys or elements below it*")]
    [InlineData("ExplicitBounds", "1", "'Picollo:ExplicitBounds' must have keys or elements below it*")]
    [InlineData("ExplicitBounds:x:0:y", "1", "'Picollo:ExplicitBounds:x:0' must have a value*")]
    [InlineData("ExplicitBounds:x", "1", "'Picollo:ExplicitBounds:x' must have keys or elements below it*")]
    [InlineData("ExplicitBounds:x:0", "s3cr3t", "*'Picollo:ExplicitBounds:x*System.Double*")]
    [InlineData("UseGzip", "maybe", "*'Picollo:UseGzip'*Use true or false.")]
    [InlineData("Temporality", "Delta", "No option has the configuration key 'Picollo:Temporality'.")]
    public Task The_host_does_not_start_with_an_invalid_setting_of_the_exporter(string key, string value, string message) =>
        ShouldNotStartAsync(services => services.AddPicolloOtlpExporter(Section(new() { [key] = value })), message);

    private static async Task ShouldNotStartAsync(Action<IServiceCollection> add, string message)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        add(builder.Services);
        await using WebApplication app = builder.Build();

        (await app.Invoking(host => host.StartAsync()).Should().ThrowAsync<OptionsValidationException>().WithMessage(message))
            .Which.Message.Should().NotContain("s3cr3t");
    }

    private static IConfigurationSection Section(Dictionary<string, string> settings) => new ConfigurationBuilder()
        .AddInMemoryCollection(settings.Select(
            setting => KeyValuePair.Create<string, string?>($"Picollo:{setting.Key}".TrimEnd(':'), setting.Value)))
        .Build().GetSection("Picollo");

    /// <summary>Returns all public options by their keys.</summary>
    private static Dictionary<string, string> Flatten(PicolloOptions options) => Leaves(options, "").ToDictionary();

    private static IEnumerable<KeyValuePair<string, string>> Leaves(object? value, string key) => value switch
    {
        null => [],
        PicolloOptions or PicolloRequestOptions or CpuWorkerPoolOptions or MeterHistogramsOptions => value.GetType().GetProperties()
            .SelectMany(property => Leaves(property.GetValue(value), key.Length == 0 ? property.Name : $"{key}:{property.Name}")),
        IList<string> texts => texts.SelectMany((text, i) => Leaves(text, $"{key}:{i}")),
        IDictionary<string, double> numbers => numbers.SelectMany(number => Leaves(number.Value, $"{key}:{number.Key}")),
        _ => [KeyValuePair.Create(key, Convert.ToString(value, CultureInfo.InvariantCulture)!)],
    };
}
