using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Requests;
using Picollo.AspNetCore.Usage;
using Picollo.AspNetCore.Workers;
using Picollo.Metrics;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds Picollo to an application's services.</summary>
public static class PicolloServiceCollectionExtensions
{
    /// <summary>Adds what <c>UseCpuUsage()</c>, <c>MapPicollo()</c> and <c>RequireCpuWorker()</c> need, and a
    /// <see cref="HdrHistogramRegistry"/> whose histograms stand on the page and in the exposition.</summary>
    /// <param name="services">The application's.</param>
    /// <param name="configure">Sets options; null for the defaults.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException">No services.</exception>
    public static IServiceCollection AddPicollo(this IServiceCollection services, Action<PicolloOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionsBuilder<PicolloOptions> options = services.AddOptions<PicolloOptions>();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.AddMetrics();
        services.TryAddSingleton<HdrHistogramRegistry>();
        services.TryAddSingleton<RouteTable>();
        AddRequests(services);
        AddPage(services);
        AddCpuWorkers(services);
        return services;
    }

    private static void AddRequests(IServiceCollection services)
    {
        services.TryAddSingleton<CpuTimeInstrument>();
        services.TryAddSingleton<RequestReporter>();

        // The first filter is around the others, and the host has already registered its own.
        if (!services.Any(service => service.ImplementationType == typeof(MeasureAllFilter)))
        {
            services.Insert(0, ServiceDescriptor.Singleton<IStartupFilter, MeasureAllFilter>());
        }
    }

    private static void AddCpuWorkers(IServiceCollection services)
    {
        services.TryAddSingleton<CpuWorkers>();
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IHostedService, CpuWorkers>(provider => provider.GetRequiredService<CpuWorkers>()));
    }

    private static void AddPage(IServiceCollection services)
    {
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton<Subjects>();
        services.TryAddSingleton<UsageReader>();
        services.TryAddSingleton<Viewers>();
        services.TryAddSingleton<EventStream>();
        services.TryAddSingleton<PageEndpoints>();
    }

    private sealed class MeasureAllFilter(IOptions<PicolloOptions> options) : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) =>
            options.Value.MeasureAllRequests ? app => next(app.UseCpuUsage()) : next;
    }
}
