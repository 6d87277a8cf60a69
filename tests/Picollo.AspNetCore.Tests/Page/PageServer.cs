using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Page;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>An application with the page, in Kestrel on 127.0.0.1.</summary>
internal sealed class PageServer : IAsyncDisposable
{
    /// <summary>A request header with the address that the server uses as the address of the connection; "none" for no address.</summary>
    public const string RemoteAddress = "Test-Remote-Address";

    /// <summary>A request header with which the server cannot find the user of the client.</summary>
    public const string UnknownUser = "Test-Unknown-User";

    // Replaces the random token on systems that do not report the user of a client.
    private static readonly string? Token = OperatingSystem.IsLinux() ? null : "token-of-the-tests";

    private PageServer(WebApplication application, LogSink log)
    {
        Application = application;
        Log = log;
        Address = new Uri(application.Urls.Single());

        // A stream that is disposed is closed immediately, instead of being read for two seconds until it ends.
        Client = CreateClient(new SocketsHttpHandler { ResponseDrainTimeout = TimeSpan.Zero });
    }

    public WebApplication Application { get; }

    public LogSink Log { get; }

    public Uri Address { get; }

    public HttpClient Client { get; }

    /// <summary>The number of live pages.</summary>
    public int Viewers => Application.Services.GetRequiredService<EventStream>().Viewers;

    public HdrHistogramRegistry Registry => Application.Services.GetRequiredService<HdrHistogramRegistry>();

    public static async Task<PageServer> StartAsync(
        Action<WebApplication>? map = null,
        Action<PicolloOptions>? configure = null,
        Action<WebApplicationBuilder>? build = null,
        string environment = "Development")
    {
        LogSink log = new();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = environment });
        builder.Logging.ClearProviders().AddProvider(log);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddPicollo(options => options.PageToken = Token).AddPicollo(configure);
        build?.Invoke(builder);
        WebApplication application = builder.Build();
        application.Use((context, next) =>
        {
            if (context.Request.Headers.TryGetValue(RemoteAddress, out var address))
            {
                context.Connection.RemoteIpAddress = IPAddress.TryParse(address, out IPAddress? given) ? given : null;
            }

            if (context.Request.Headers.ContainsKey(UnknownUser))
            {
                context.Features.Set<IConnectionSocketFeature>(new NoSocket());
            }

            return next(context);
        });
        if (map is null)
        {
            application.MapPicollo();
        }
        else
        {
            map(application);
        }

        await application.StartAsync();
        return new PageServer(application, log);
    }

    /// <summary>Creates a client of this user that has access to the page.</summary>
    public HttpClient CreateClient(HttpMessageHandler? handler = null)
    {
        HttpClient client = new(handler ?? new SocketsHttpHandler()) { BaseAddress = Address };
        client.DefaultRequestHeaders.Authorization = Token is null ? null : new("Bearer", Token);
        return client;
    }

    public async Task<JsonElement> JsonAsync()
    {
        using JsonDocument json = JsonDocument.Parse(await Client.GetStringAsync("/picollo/json"));
        return json.RootElement.Clone();
    }

    /// <summary>Records requests to a route.</summary>
    public RouteRow Count(string method, string route, ulong cpuNanoseconds = 1_000_000, ulong wallNanoseconds = 5_000_000, ulong count = 1)
    {
        RouteRow usage = Application.Services.GetRequiredService<RouteTable>().Get(method, route);
        for (ulong i = 0; i < count; i++)
        {
            usage.Record(new RunValues((long)cpuNanoseconds, (long)wallNanoseconds, null));
        }

        return usage;
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await Application.StopAsync();
        await Application.DisposeAsync();
    }

    private sealed class NoSocket : IConnectionSocketFeature
    {
        public Socket Socket { get; } = new(SocketType.Stream, ProtocolType.Tcp);
    }
}
