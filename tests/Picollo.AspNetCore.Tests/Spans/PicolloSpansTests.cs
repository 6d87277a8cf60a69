using System.Diagnostics;
using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Trace;
using Picollo.AspNetCore.Tests.Requests;

namespace Picollo.AspNetCore.Tests.Spans;

[Collection(Alone.Name)]
public sealed class PicolloSpansTests : IDisposable
{
    private const double Tolerance = 0.002;

    private readonly ActivitySource _source = new("Tests.PicolloSpans");
    private readonly CopyingExporter _exporter = new();

    public void Dispose()
    {
        _source.Dispose();
        _exporter.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_its_span_and_its_named_work_each_include_the_CPU_time(bool isTracerFirst)
    {
        double own = 0, inWork = 0, child = 0;
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/work", async (WorkMeter work) =>
            {
                own = Burn.Milliseconds(3);
                using (work.Measure("import"))
                {
                    using (_source.StartActivity("child"))
                    {
                        await Task.Yield();
                        child = Burn.Milliseconds(8);
                    }

                    inWork = await Task.Run(() => Burn.Milliseconds(4));
                }

                own += Burn.Milliseconds(1);
            }),
            build: builder =>
            {
                if (isTracerFirst)
                {
                    AddTracer(builder.Services);
                }

                builder.Services.AddPicolloSpans("Microsoft.AspNetCore", "Tests.*");
                if (!isTracerFirst)
                {
                    AddTracer(builder.Services);
                }
            });

        await app.Client.GetAsync("/work");
        await app.GetCountsAsync(1);
        await Eventually.IsTrueAsync(() => _exporter.Spans.Count == 2);

        IReadOnlyDictionary<string, double> childTags = _exporter.Spans["child"];
        double childTotal = Sum(childTags, "picollo.cpu.user", "picollo.cpu.system");
        childTotal.Should().BeGreaterThanOrEqualTo(child - Tolerance).And.BeLessThan(child + own);
        childTags.Should().NotContainKey("picollo.cpu.self.user");

        double route = app.Routes.All.Single(usage => usage.Route == "/work").SumOf(RunFact.CpuTime) / 1e6;
        double work = app.Services.GetRequiredService<WorkMeter>().All.Single().SumOf(RunFact.CpuTime) / 1e6;
        route.Should().BeGreaterThanOrEqualTo(own - Tolerance);
        work.Should().BeGreaterThanOrEqualTo(inWork + childTotal - Tolerance);

        // The request's span starts before the middleware and stops after it, and named work is part of it.
        IReadOnlyDictionary<string, double> request = _exporter.Spans["Microsoft.AspNetCore.Hosting.HttpRequestIn"];
        double total = Sum(request, "picollo.cpu.user", "picollo.cpu.system");
        double self = Sum(request, "picollo.cpu.self.user", "picollo.cpu.self.system");
        total.Should().BeGreaterThanOrEqualTo(route + work - Tolerance);
        self.Should().BeApproximately(total - childTotal, Tolerance);
        app.Log.Of("Picollo.AspNetCore.Spans").Should().BeEmpty();
    }

    [Fact]
    public async Task A_host_without_a_server_measures_spans_from_before_its_services_until_after_them()
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        SpanObserver observer = new(_source);
        builder.Services.AddSingleton<IHostedService>(observer);
        builder.Services.Invoking(all => all.AddPicolloSpans()).Should().Throw<ArgumentException>().WithParameterName("sources");
        builder.Services.AddPicolloSpans("Tests.*");
        using IHost host = builder.Build();
        _ = host.Services.GetServices<IHostedService>();
        _source.HasListeners().Should().BeFalse("services have no effect before the host starts");

        await host.StartAsync();
        await host.StopAsync();

        observer.Listening.Should().Equal(true, true);
        _source.HasListeners().Should().BeTrue("a tracer exports the last spans when it is disposed");
        host.Dispose();
        _source.HasListeners().Should().BeFalse();
    }

    [Fact]
    public async Task A_tracer_that_was_built_earlier_is_logged()
    {
        using TracerProvider tracer = Sdk.CreateTracerProviderBuilder().AddSource(_source.Name).Build();
        await using RequestApp app = await RequestApp.StartAsync(
            _ => { }, build: builder => builder.Services.AddPicolloSpans("Tests.*"));

        app.Log.Of("Picollo.AspNetCore.Spans").Should().ContainSingle()
            .Which.Should().Match<LogLine>(line => line.Level == LogLevel.Warning && line.Event.Name == "LateSource"
                && line.Text.Contains(_source.Name));
    }

    private void AddTracer(IServiceCollection services) => services.AddOpenTelemetry().WithTracing(tracing => tracing
        .AddSource("Microsoft.AspNetCore", _source.Name)
        .AddProcessor(new SimpleActivityExportProcessor(_exporter)));

    private static double Sum(IReadOnlyDictionary<string, double> tags, params string[] keys) =>
        keys.Sum(key => tags.GetValueOrDefault(key));

    private sealed class SpanObserver(ActivitySource source) : IHostedService
    {
        public List<bool> Listening { get; } = [];

        public Task StartAsync(CancellationToken cancellationToken) => Observe();

        public Task StopAsync(CancellationToken cancellationToken) => Observe();

        private Task Observe()
        {
            Listening.Add(source.HasListeners());
            return Task.CompletedTask;
        }
    }

    /// <summary>Copies the tags when a span stops, as an exporter that serializes immediately does. Times are in milliseconds.</summary>
    private sealed class CopyingExporter : BaseExporter<Activity>
    {
        public ConcurrentDictionary<string, IReadOnlyDictionary<string, double>> Spans { get; } = [];

        public override ExportResult Export(in Batch<Activity> batch)
        {
            foreach (Activity activity in batch)
            {
                Spans[activity.OperationName] = activity.TagObjects.Where(tag => tag.Key.StartsWith("picollo.", StringComparison.Ordinal))
                    .ToDictionary(tag => tag.Key, tag => (double)tag.Value! * 1e3);
            }

            return ExportResult.Success;
        }
    }
}
