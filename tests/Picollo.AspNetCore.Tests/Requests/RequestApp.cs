using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>A real server that measures its requests, with its log and a client.</summary>
internal sealed class RequestApp : IAsyncDisposable
{
    private readonly WebApplication _app;

    private RequestApp(WebApplication app, LogSink log)
    {
        _app = app;
        Log = log;
        Address = new Uri(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());
        Client = new HttpClient { BaseAddress = Address };
    }

    public Uri Address { get; }

    public HttpClient Client { get; }

    public LogSink Log { get; }

    public IServiceProvider Services => _app.Services;

    public RouteTable Routes => Services.GetRequiredService<RouteTable>();

    /// <param name="map">A delegate that adds the middleware and the endpoints.</param>
    /// <param name="options">A delegate that sets Picollo's options.</param>
    /// <param name="build">A delegate that adds services.</param>
    /// <param name="protocols">The protocols of the server's only endpoint, which has no TLS.</param>
    /// <param name="measureAll">Whether all requests are measured, or only those that reach a <c>UsePicollo()</c> of
    /// <paramref name="map"/>.</param>
    public static async Task<RequestApp> StartAsync(
        Action<WebApplication> map,
        Action<PicolloOptions>? options = null,
        Action<WebApplicationBuilder>? build = null,
        HttpProtocols protocols = HttpProtocols.Http1,
        bool measureAll = true)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        LogSink log = new();
        builder.Logging.ClearProviders().AddProvider(log).SetMinimumLevel(LogLevel.Debug);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocols));
        builder.Services.AddPicollo(picollo =>
        {
            picollo.Requests.MeasureAll = measureAll;
            options?.Invoke(picollo);
        });
        build?.Invoke(builder);
        WebApplication app = builder.Build();
        map(app);
        await app.StartAsync();
        return new RequestApp(app, log);
    }

    /// <summary>Sends requests one after the other, each a path or a method and a path, and reads the responses.</summary>
    /// <returns>The status codes.</returns>
    public async Task<IReadOnlyList<int>> SendAsync(params IReadOnlyList<string> requests)
    {
        List<int> statuses = [];
        foreach (string request in requests)
        {
            int space = request.IndexOf(' ');
            using HttpRequestMessage message = new(new HttpMethod(space < 0 ? "GET" : request[..space]), request[(space + 1)..]);
            using HttpResponseMessage response = await Client.SendAsync(message);
            statuses.Add((int)response.StatusCode);
        }

        return statuses;
    }

    /// <summary>Sends requests as <see cref="SendAsync"/> does, and waits until they have been counted.</summary>
    public async Task<IReadOnlyList<(string Method, string Route, ulong Count)>> CountsAfterAsync(params IReadOnlyList<string> requests)
    {
        await SendAsync(requests);
        return await GetCountsAsync(requests.Count);
    }

    /// <summary>Waits until a number of requests have been counted, because a client may receive its response earlier.</summary>
    /// <returns>The method, route and count of each row, ordered by route.</returns>
    public async Task<IReadOnlyList<(string Method, string Route, ulong Count)>> GetCountsAsync(int requests)
    {
        await Eventually.IsTrueAsync(() => Total() >= (ulong)requests);
        Total().Should().Be((ulong)requests);
        Routes.All.Should().OnlyContain(usage => usage.HistogramOf(RunFact.WallTime)!.TotalCount == usage.HistogramOf(RunFact.CpuTime)!.TotalCount);
        return [.. Routes.All.Select(usage => (usage.Method, usage.Route, usage.HistogramOf(RunFact.CpuTime)!.TotalCount))];
    }

    public Task StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.DisposeAsync();
    }

    private ulong Total() => Routes.All.Aggregate(0UL, (sum, usage) => sum + usage.HistogramOf(RunFact.CpuTime)!.TotalCount);
}
