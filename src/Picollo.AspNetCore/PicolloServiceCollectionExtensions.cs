using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.StaticFiles;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.OpenTelemetry;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Profiles;
using Picollo.AspNetCore.Requests;
using Picollo.AspNetCore.Spans;
using Picollo.AspNetCore.Usage;
using Picollo.AspNetCore.Work;
using Picollo.AspNetCore.Workers;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds Picollo to an application's services.</summary>
public static class PicolloServiceCollectionExtensions
{
    /// <summary>Adds what <c>UsePicollo()</c>, <c>MapPicollo()</c>, <c>RequireLocalPort()</c> and <c>RequireCpuWorker()</c> need, and
    /// a <see cref="WorkMeter"/>, the <see cref="Picollo.Scheduling.CpuWorkerPool"/> of these endpoints, and a
    /// <see cref="HdrHistogramRegistry"/> whose histograms appear on the page and in the exposition.</summary>
    /// <remarks>With <see cref="PicolloOptions.MeasureAllRequests"/>, this alone measures all requests. Further calls only apply
    /// their options; the last value of an option holds.</remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets options; <see langword="null"/> for the defaults.</param>
    /// <returns>A builder with <paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is <see langword="null"/>.</exception>
    public static IPicolloBuilder AddPicollo(this IServiceCollection services, Action<PicolloOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionsBuilder<PicolloOptions> options = services.AddOptions<PicolloOptions>();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.AddMetrics();
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton<HdrHistogramRegistry>();
        services.TryAddSingleton<MeterBridge>();
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, MeterBridge>(provider => provider.GetRequiredService<MeterBridge>()));
        services.TryAddSingleton<RouteTable>();
        services.TryAddSingleton<RunningWorkList>();
        services.TryAddSingleton<CpuTimeInstrument>();
        services.TryAddSingleton<RequestReporter>();
        services.TryAddSingleton(provider => new WorkMeter(
            provider.GetRequiredService<IOptions<PicolloOptions>>(),
            provider.GetRequiredService<RunningWorkList>(),
            provider.GetRequiredService<RequestReporter>()));
        services.TryAddSingleton<ProcessAccount>();
        services.TryAddSingleton<RuntimeUsage>();
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, RuntimeUsage>(provider => provider.GetRequiredService<RuntimeUsage>()));
        services.TryAddSingleton<CpuProfiles>();
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, CpuProfiles>(provider => provider.GetRequiredService<CpuProfiles>()));
        services.TryAddSingleton<Subjects>();
        services.TryAddSingleton<UsageReader>();
        services.TryAddSingleton<RecentUsage>();
        services.TryAddSingleton<UsageCounters>();
        services.TryAddSingleton<EventStream>();
        services.TryAddSingleton<PageEndpoints>();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IPostConfigureOptions<StaticFileOptions>, StaticFileNotes>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, LocalPortPolicy>());
        services.TryAddSingleton<CpuWorkers>();
        services.TryAddSingleton(provider => provider.GetRequiredService<CpuWorkers>().Pool);
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, CpuWorkers>(provider => provider.GetRequiredService<CpuWorkers>()));

        // The first filter is around the others, and the host has already registered its own.
        if (!services.Any(service => service.ImplementationType == typeof(MeasureAllFilter)))
        {
            services.Insert(0, ServiceDescriptor.Singleton<IStartupFilter, MeasureAllFilter>());
        }

        return new PicolloBuilder(services);
    }

    /// <summary>Measures each method of SignalR's hubs as named work, such as <c>ChatHub.Send</c>, over every transport.</summary>
    /// <remarks>Further calls do nothing. The time counts for the method and not for the connection. Of a method that returns a stream, the
    /// call is measured; what produces the items counts for the connection.</remarks>
    /// <param name="builder">What <see cref="AddPicollo"/> returned.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    public static IPicolloBuilder MeasureHubMethods(this IPicolloBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        if (!builder.Services.Any(service => service.ServiceType == typeof(HubMethodFilter)))
        {
            builder.Services.AddSingleton<HubMethodFilter>(); // SignalR would make one for each call
            builder.Services.Configure<HubOptions>(static options => options.AddFilter<HubMethodFilter>());
        }

        return builder;
    }

    /// <summary>Pushes all histograms of the exposition to an OpenTelemetry receiver, by an <see cref="OtlpExporter"/> that runs as long as
    /// the host.</summary>
    /// <remarks>Settings are those of <see cref="OtlpExporterOptions"/>; the variables <c>OTEL_…</c> can also be in the application's
    /// configuration. <c>service.name</c> is the name of the application unless it is set. When the host stops, what is left is exported,
    /// for 5 seconds at most. Errors are logged in the category <c>Picollo.AspNetCore.OtlpExport</c>. Further calls only apply their
    /// options.</remarks>
    /// <param name="builder">What <see cref="AddPicollo"/> returned.</param>
    /// <param name="configure">Sets options; <see langword="null"/> for those of the configuration.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    public static IPicolloBuilder AddOtlpExporter(this IPicolloBuilder builder, Action<OtlpExporterOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        OptionsBuilder<OtlpExporterOptions> options = builder.Services.AddOptions<OtlpExporterOptions>();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        builder.Services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, OtlpExportService>());
        return builder;
    }

    /// <summary>Tags each sampled <see cref="System.Diagnostics.Activity"/> (span) of some sources with its CPU time, from this call until
    /// the host is disposed. See <see cref="ActivityCpuUsage"/> for the tags.</summary>
    /// <remarks>
    /// <para>It works with any tracer, without <see cref="AddPicollo"/>, and in hosts without a web server. The source of requests is
    /// <c>Microsoft.AspNetCore</c>. The CPU time of a request's span includes all middleware.</para>
    /// <para>It measures from this call on, and not only from the start of the host, so that a tracer that the host builds is always later:
    /// the order of this call and <c>AddOpenTelemetry()</c> does not matter. A tracer that code has built before is logged as a warning:
    /// event 2, <c>LateSource</c>, of the category <c>Picollo.AspNetCore.Spans</c>. Event 1, <c>SpansUnavailable</c>, is logged if this
    /// system does not report the CPU time of threads. If a host is disposed without having been started, its spans are measured
    /// until the process ends.</para>
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="sources">The names of the activity sources. Case does not matter; <c>*</c> stands for any characters and <c>?</c> for
    /// one character, as in OpenTelemetry's <c>AddSource</c>.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="sources"/> is
    /// <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">There is no name, or one is <see langword="null"/>, empty or white space.</exception>
    public static IServiceCollection AddPicolloSpans(this IServiceCollection services, params string[] sources)
    {
        ArgumentNullException.ThrowIfNull(services);
        ActivityCpuUsage spans = new(sources);

        // By a factory, so that the container disposes it.
        return services.AddSingleton<IHostedService>(provider => new SpanService(
            spans, provider.GetRequiredService<ILoggerFactory>(), provider.GetRequiredService<IHostApplicationLifetime>()));
    }

    /// <summary>Notes which requests are answered with a static file by <c>UseStaticFiles()</c> without options of its own.</summary>
    private sealed class StaticFileNotes : IPostConfigureOptions<StaticFileOptions>
    {
        public void PostConfigure(string? name, StaticFileOptions options)
        {
            Action<StaticFileResponseContext> prepare = options.OnPrepareResponse;
            options.OnPrepareResponse = response =>
            {
                MeasuredRequest.NoteStaticFile(response.Context);
                prepare(response);
            };
        }
    }

    private sealed record PicolloBuilder(IServiceCollection Services) : IPicolloBuilder;

    private sealed class MeasureAllFilter(IOptions<PicolloOptions> options) : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) =>
            options.Value.MeasureAllRequests ? app => next(app.UsePicollo()) : next;
    }
}
