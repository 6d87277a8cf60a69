using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.StaticFiles;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Profiles;
using Picollo.AspNetCore.Reading;
using Picollo.AspNetCore.Spans;
using Picollo.AspNetCore.Workers;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Extension methods that add Picollo to an application's services.</summary>
public static class PicolloServiceCollectionExtensions
{
    /// <summary>Adds the services that <c>UsePicollo()</c>, <c>MapPicollo()</c>, <c>RequireLocalPort()</c> and <c>RequireCpuWorker()</c>
    /// require, a <see cref="WorkMeter"/>, the <see cref="Picollo.Scheduling.CpuWorkerPool"/> of endpoints with
    /// <c>RequireCpuWorker()</c>, and a <see cref="HdrHistogramRegistry"/> whose histograms appear on the page and in the
    /// exposition.</summary>
    /// <remarks>With <see cref="PicolloRequestOptions.MeasureAll"/>, all requests are measured without a call to <c>UsePicollo()</c>.
    /// Further calls only apply their options. The last value of an option takes effect.</remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">A delegate that sets options; <see langword="null"/> for the defaults.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is <see langword="null"/>.</exception>
    public static IServiceCollection AddPicollo(this IServiceCollection services, Action<PicolloOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionsBuilder<PicolloOptions> options = services.AddOptions<PicolloOptions>().ValidateOnStart();
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
        services.TryAddSingleton<RunList>();
        services.TryAddSingleton<CpuTimeInstrument>();
        services.TryAddSingleton<RequestReporter>();
        services.TryAddSingleton(provider => new WorkMeter(
            provider.GetRequiredService<IOptions<PicolloOptions>>(),
            provider.GetRequiredService<RunList>(),
            provider.GetRequiredService<RequestReporter>()));
        services.TryAddSingleton<ProcessAccount>();
        services.TryAddSingleton<RuntimeService>();
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, RuntimeService>(provider => provider.GetRequiredService<RuntimeService>()));
        services.TryAddSingleton<CpuProfiles>();
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, CpuProfiles>(provider => provider.GetRequiredService<CpuProfiles>()));
        services.TryAddSingleton<PageRows>();
        services.TryAddSingleton<PageReader>();
        services.TryAddSingleton<RecentHistory>();
        services.TryAddSingleton<ExpositionCounters>();
        services.TryAddSingleton<EventStream>();
        services.TryAddSingleton<PageEndpoints>();
        services.TryAddSingleton<PageToken>();
        services.TryAddSingleton<ClientUser>();
        services.AddStaticFileMarker();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, LocalPortPolicy>());
        services.TryAddSingleton<CpuWorkers>();
        services.TryAddSingleton(provider => provider.GetRequiredService<CpuWorkers>().Pool);
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, CpuWorkers>(provider => provider.GetRequiredService<CpuWorkers>()));

        // Inserted first, because the first filter wraps the others, and the host has already registered its own filters.
        if (!services.Any(service => service.ImplementationType == typeof(MeasureAllFilter)))
        {
            services.Insert(0, ServiceDescriptor.Singleton<IStartupFilter, MeasureAllFilter>());
        }

        return services;
    }

    /// <summary>Adds the services like the other overload, with options from a configuration.</summary>
    /// <remarks>
    /// <para>The keys are the names of the properties of <see cref="PicolloOptions"/>, such as <c>Requests:MaxRoutes</c>. If a key does not
    /// exist or a value is invalid, the host does not start. The exception is an <see cref="OptionsValidationException"/> whose message
    /// contains the key and the value, except for <see cref="PicolloOptions.PageToken"/>.</para>
    /// <example>
    /// <code>
    /// builder.Services.AddPicollo(builder.Configuration.GetSection("Picollo"));
    /// </code>
    /// </example>
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configuration">The configuration, usually a section. It is read once, when the application starts.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public static IServiceCollection AddPicollo(this IServiceCollection services, IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        return services.AddPicollo(options => ConfiguredOptions.Read(configuration, options));
    }

    /// <summary>Measures each method of SignalR hubs as named work, such as <c>ChatHub.Send</c>, over every transport.</summary>
    /// <remarks>The time is counted for the method and not for the connection. Calls that throw are counted as failed, or as canceled after
    /// an <see cref="OperationCanceledException"/> that was not caused by a timeout. If a method returns a stream (an
    /// <c>IAsyncEnumerable</c> or a <c>ChannelReader</c>), the call lasts until the end of the stream, and is canceled if the client
    /// cancels the stream or disconnects. (With Native AOT, a call that returns a stream of a value type lasts until the method returns.)
    /// Filters that were added before this call receive an object that wraps the stream. The method calls
    /// <see cref="AddPicollo(IServiceCollection, Action{PicolloOptions}?)"/>. Further calls have no effect.</remarks>
    /// <param name="services">The application's services.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is <see langword="null"/>.</exception>
    public static IServiceCollection AddPicolloHubMethods(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (!services.Any(service => service.ServiceType == typeof(HubMethodFilter)))
        {
            services.AddPicollo();
            services.AddSingleton<HubMethodFilter>(); // otherwise, SignalR creates a filter for each call
            services.Configure<HubOptions>(static options => options.AddFilter<HubMethodFilter>());
        }

        return services;
    }

    /// <summary>Pushes all metrics of the exposition to an OpenTelemetry receiver. The <see cref="OtlpExporter"/> runs as long as the
    /// host.</summary>
    /// <remarks>The settings are those of <see cref="OtlpExportOptions"/>. The variables <c>OTEL_…</c> can also be set in the
    /// application's configuration. <c>service.name</c> is the name of the application by default. When the host stops, the remaining
    /// values are exported, for 5 seconds at most. Errors are logged in the category <c>Picollo.AspNetCore.OtlpExport</c>. If the services
    /// contain a <c>MeterProvider</c> of the OpenTelemetry SDK, metrics of the semantic conventions are not sent by default
    /// (<see cref="OtlpExportOptions.ExcludeConventionMetrics"/>). The method calls
    /// <see cref="AddPicollo(IServiceCollection, Action{PicolloOptions}?)"/>. Further calls only apply their options.</remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">A delegate that sets options; <see langword="null"/> for those of the variables.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is <see langword="null"/>.</exception>
    public static IServiceCollection AddPicolloOtlpExporter(
        this IServiceCollection services, Action<OtlpExportOptions>? configure = null)
    {
        OptionsBuilder<OtlpExportOptions> options = services.AddPicollo().AddOptions<OtlpExportOptions>().ValidateOnStart();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, OtlpExportService>());
        return services;
    }

    /// <summary>Adds the exporter like the other overload, with options from a configuration.</summary>
    /// <remarks>The keys are the names of the properties of <see cref="OtlpExportOptions"/>, such as <c>Endpoint</c> or
    /// <c>Headers:Authorization</c>. If a key does not exist or a value is invalid, the host does not start. The exception is an
    /// <see cref="OptionsValidationException"/> whose message contains the key.</remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configuration">The configuration, usually a section. It is read once, when the application starts.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public static IServiceCollection AddPicolloOtlpExporter(this IServiceCollection services, IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        return services.AddPicolloOtlpExporter(options => ConfiguredOptions.Read(configuration, options));
    }

    /// <summary>Tags each sampled <see cref="System.Diagnostics.Activity"/> (span) of the given sources with its CPU time while the host
    /// runs. See <see cref="ActivityCpuMeter"/> for the tags.</summary>
    /// <remarks>
    /// <para>This works with any tracer, without <c>AddPicollo()</c>, and in hosts without a web server. The source of requests is
    /// <c>Microsoft.AspNetCore</c>. The CPU time of a request's span includes all middleware.</para>
    /// <para>Measuring starts before all services of the host, including the server and the service that builds the tracer of
    /// <c>AddOpenTelemetry()</c>, and ends when the host is disposed. If a tracer was built before the host started, a warning is logged:
    /// event 2, <c>LateSource</c>, of the category <c>Picollo.AspNetCore.Spans</c>. Event 1, <c>SpansUnavailable</c>, is logged if this
    /// system does not report the CPU time of threads.</para>
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="sources">The names of the activity sources. They are case-insensitive. <c>*</c> matches any characters and <c>?</c>
    /// matches one character, as in OpenTelemetry's <c>AddSource</c>.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="sources"/> is
    /// <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="sources"/> is empty, or a name is <see langword="null"/>, empty or white
    /// space.</exception>
    public static IServiceCollection AddPicolloSpans(this IServiceCollection services, params string[] sources)
    {
        ArgumentNullException.ThrowIfNull(services);
        string[] names = ActivityCpuMeter.Check(sources);
        return services.AddSingleton<IHostedService>(provider => new SpanService(
            names, provider.GetRequiredService<ILoggerFactory>(), provider.GetRequiredService<IHostApplicationLifetime>()));
    }

    internal static void AddStaticFileMarker(this IServiceCollection services) =>
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IPostConfigureOptions<StaticFileOptions>, StaticFileMarker>());

    /// <summary>Marks requests that <c>UseStaticFiles()</c> answers with a static file, if it is called without an options
    /// argument.</summary>
    private sealed class StaticFileMarker : IPostConfigureOptions<StaticFileOptions>
    {
        public void PostConfigure(string? name, StaticFileOptions options)
        {
            Action<StaticFileResponseContext> prepare = options.OnPrepareResponse;
            options.OnPrepareResponse = response =>
            {
                RequestRun.MarkStaticFile(response.Context);
                prepare(response);
            };
        }
    }

    private sealed class MeasureAllFilter(IOptions<PicolloOptions> options) : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) =>
            options.Value.Requests.MeasureAll ? app => next(app.UsePicollo()) : next;
    }
}
