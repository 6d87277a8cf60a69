using System.Collections;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Page;

namespace Picollo.Hosted;

/// <summary>The measurements of this process, and the host of the page: without the application's configuration, and without metrics,
/// traces and logs that the application could see. Thread-safe. Never throws.</summary>
internal sealed class HostedPage(HostedSettings settings)
{
    private const string Address = "/picollo";
    private const string Source = "Picollo.Page";

    private static readonly TimeSpan MaxExport = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();
    private WebApplication? _host; // guarded by the gate
    private IServiceProvider? _measured; // guarded by the gate; of the page that was started
    private PosixSignalRegistration[] _signals = [];
    private volatile bool _hasApplicationHost;

    [ThreadStatic]
    private static bool _isBuilding;

    /// <summary>Whether this thread builds the host of the page.</summary>
    public static bool IsBuilding => _isBuilding;

    /// <summary>Adds the middleware and the filter of hub methods to a host of the application, once.</summary>
    /// <remarks>Both are inactive in a host that measures itself, which is known when it starts: a hosting startup is called before the
    /// application adds its services.</remarks>
    public void AddTo(IServiceCollection services) => Try(() =>
    {
        _hasApplicationHost = true;
        if (!services.Any(static service => service.ImplementationInstance is Filter))
        {
            services.Insert(0, ServiceDescriptor.Singleton<IStartupFilter>(new Filter(this)));
            services.AddStaticFileMarker();
            services.AddSingleton<IConfigureOptions<HubOptions>>(provider => new ConfigureOptions<HubOptions>(options => Try(() =>
            {
                if (!MeasuresItself(provider))
                {
                    options.AddFilter(new HubMethodFilter(Host.Services.GetRequiredService<WorkMeter>()));
                }
            })));
        }
    });

    /// <summary>Builds the host, so that an application that builds its own in the meantime does not wait for it.</summary>
    public void Prepare() => Try(() => _ = Host);

    /// <summary>Starts the page, once.</summary>
    /// <param name="application">The services of an application with its own measurements; null for those of this object.</param>
    public void Start(IServiceProvider? application = null) => Try(() =>
    {
        lock (_gate)
        {
            if (_measured is null)
            {
                _measured = application ?? Host.Services;
                Host.MapPicollo(Address, _measured);
                try
                {
                    Host.StartAsync().GetAwaiter().GetResult();
                }
                catch (Exception e) when (e is IOException or SocketException)
                {
                    throw new IOException($"The page cannot use port {settings.Port}: {e.InnerException?.Message ?? e.Message}");
                }

                string address = Host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
                string token = _measured.GetRequiredService<PageToken>().Value;
                HostedState.Say(settings, $"{address}{Address}#{PageToken.Name}={token}");
            }
        }
    });

    /// <summary>Writes the report and the last export when the process ends, if they are requested.</summary>
    public void CompleteAtEnd()
    {
        if (!settings.IsReporting && !settings.IsExporting)
        {
            return;
        }

        AppDomain.CurrentDomain.ProcessExit += (_, _) => Complete();
        AppDomain.CurrentDomain.UnhandledException += (_, _) => Complete();

        // A host ends the process normally after a signal. Otherwise, the signal ends it after this.
        _signals = [.. new[] { PosixSignal.SIGINT, PosixSignal.SIGTERM }.Select(signal => PosixSignalRegistration.Create(signal, _ =>
        {
            if (!_hasApplicationHost)
            {
                Complete();
            }
        }))];
    }

    private void Complete() => Try(() =>
    {
        lock (_gate)
        {
            if (settings.IsReporting)
            {
                HostedState.Report(settings, (_measured ?? Host.Services).GetRequiredService<PageEndpoints>().CreateReport());
            }

            if (settings.IsExporting)
            {
                using CancellationTokenSource limit = new(MaxExport);
                Host.StopAsync(limit.Token).GetAwaiter().GetResult();
            }
        }
    });

    private void Measure(IApplicationBuilder app)
    {
        IServiceProvider? application = MeasuresItself(app.ApplicationServices) ? app.ApplicationServices : null;
        if (application is null)
        {
            app.UsePicollo(Host.Services);
        }
        else
        {
            HostedState.Say(settings, "the application calls AddPicollo(), so its own options apply");
        }

        // Without the flow of the caller: its AsyncLocals and its activity do not belong to the page.
        ThreadPool.UnsafeQueueUserWorkItem(
            static state => state.page.Start(state.application), (page: this, application), preferLocal: false);
    }

    private static bool MeasuresItself(IServiceProvider application) => application.GetService<PageEndpoints>() is not null;

    private WebApplication Host
    {
        get
        {
            lock (_gate)
            {
                return _host ??= Build();
            }
        }
    }

    private WebApplication Build()
    {
        _isBuilding = true;
        try
        {
            WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions
            {
                ApplicationName = Assembly.GetEntryAssembly()?.GetName().Name,
                EnvironmentName = Environments.Development, // the access rule of the page: this machine, and this user or the token
                ContentRootPath = AppContext.BaseDirectory,
            });
            builder.WebHost.UseKestrelCore().ConfigureKestrel(options => options.Listen(IPAddress.Loopback, settings.Port));
            IServiceCollection services = builder.Services;
            services.AddRoutingCore();
            services.AddPicollo(Configure);
            if (settings.IsExporting)
            {
                AddExporter(builder);
            }

            services.Replace(ServiceDescriptor.Singleton<ILoggerFactory>(NullLoggerFactory.Instance));
            services.Replace(ServiceDescriptor.Singleton<IHostLifetime>(new NoLifetime()));
            services.Replace(ServiceDescriptor.Singleton<IMeterFactory>(new SilentMeters()));

            // Disposed sources and meters have no listeners, also not those of an application that listens to all names.
            using DiagnosticListener events = new(Source);
            using ActivitySource activities = new(Source);
            services.Replace(ServiceDescriptor.Singleton(events));
            services.Replace(ServiceDescriptor.Singleton<DiagnosticSource>(events));
            services.Replace(ServiceDescriptor.Singleton(activities));
            return builder.Build();
        }
        finally
        {
            _isBuilding = false;
        }
    }

    private void AddExporter(WebApplicationBuilder builder)
    {
        builder.Configuration.AddInMemoryCollection(Environment.GetEnvironmentVariables().Cast<DictionaryEntry>()
            .Where(static variable => ((string)variable.Key).StartsWith("OTEL_", StringComparison.Ordinal))
            .Select(static variable => KeyValuePair.Create((string)variable.Key, (string?)variable.Value)));
        string last = "";
        builder.Services.AddPicolloOtlpExporter(options => options.OnError = error =>
        {
            if (Interlocked.Exchange(ref last, error.Message) != error.Message)
            {
                HostedState.Say(settings, $"export failed: {error.Message}");
            }
        });
    }

    private void Configure(PicolloOptions options)
    {
        options.Requests.LatencyBreakdown = options.Requests.CollectExemplars = settings.Measured.Contains("latency");
        options.Requests.MeasureAllocations = settings.Measured.Contains("allocations");
        options.MeasureRuntime = settings.Measured.Contains("runtime");
        options.EnableProfiling = settings.Measured.Contains("profile");
        options.Meters.AddMeter([.. settings.Meters]);
    }

    private void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception e)
        {
            HostedState.Say(settings, $"{e.Message.TrimEnd('.')}. The application runs without picollo.");
        }
    }

    /// <summary>Adds the middleware as the first one of a web host, and starts the page.</summary>
    private sealed class Filter(HostedPage page) : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
        {
            page.Try(() => page.Measure(app));
            next(app);
        };
    }

    /// <summary>Ends with the process, and handles no signals.</summary>
    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    /// <summary>Creates meters whose instruments are not published.</summary>
    private sealed class SilentMeters : IMeterFactory
    {
        public Meter Create(MeterOptions options)
        {
            Meter meter = new(options.Name);
            meter.Dispose();
            return meter;
        }

        public void Dispose()
        {
        }
    }
}
