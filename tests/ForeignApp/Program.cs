using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Net.WebSockets;
using System.Text;
using Microsoft.AspNetCore;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.SignalR;

// The arguments are the way to build a host, and optionally "wait" (for the end of standard input), "throw" or "child". The program sends
// requests to itself and prints what it knows about itself, which must be the same with `picollo run`.
Counts.Listen();
switch (args[0])
{
    case "builder":
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Services.AddSignalR();
        await RunAsync(Build(builder));
        break;
    case "slim":
        await RunAsync(Build(WebApplication.CreateSlimBuilder()));
        break;
    case "empty":
        WebApplicationBuilder empty = WebApplication.CreateEmptyBuilder(new());
        empty.WebHost.UseKestrelCore();
        empty.Services.AddRoutingCore();
        await RunAsync(Build(empty));
        break;
    case "host":
        await RunAsync(Host.CreateDefaultBuilder().ConfigureWebHostDefaults(web => web.UseUrls(Counts.Any).Configure(Use)).Build());
        break;
    case "old":
#pragma warning disable ASPDEPR008, ASPDEPR004 // obsolete, and still in use
        using (IWebHost old = WebHost.CreateDefaultBuilder().UseUrls(Counts.Any).Configure(Use).Build())
        {
            await old.StartAsync();
            await Counts.SendRequestsAsync(old.ServerFeatures.Get<IServerAddressesFeature>()!);
            Wait();
            await old.StopAsync();
        }
#pragma warning restore ASPDEPR008, ASPDEPR004
        break;
    case "worker":
        HostApplicationBuilder worker = Host.CreateApplicationBuilder();
        worker.Services.AddHostedService<Worker>();
        await worker.Build().RunAsync();
        break;
    default:
        Wait();
        break;
}

Counts.Print();
if (args.Contains("child"))
{
    using Process child = Process.Start(Environment.ProcessPath!, [typeof(Counts).Assembly.Location, "console"]);
    child.WaitForExit();
}

return args.Contains("throw") ? throw new InvalidOperationException("The application fails.") : 3;

static WebApplication Build(WebApplicationBuilder builder)
{
    builder.WebHost.UseUrls(Counts.Any);
    WebApplication app = builder.Build();
    app.MapGet("/work/{id}", (string id) => id);
    if (app.Services.GetService<IHubContext<WorkHub>>() is not null)
    {
        app.MapHub<WorkHub>("/hub");
    }

    return app;
}

static void Use(IApplicationBuilder app) => app.UseRouting().UseEndpoints(endpoints => endpoints.MapGet("/work/{id}", (string id) => id));

void Wait()
{
    if (args.Contains("wait"))
    {
        Console.In.ReadToEnd();
    }
}

async Task RunAsync(IHost host)
{
    await host.StartAsync();
    await Counts.SendRequestsAsync(host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!);
    if (host.Services.GetService<IHubContext<WorkHub>>() is not null)
    {
        await Counts.CallHubAsync(host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());
    }

    Console.WriteLine($"endpoints: {string.Join(' ', host.Services.GetServices<EndpointDataSource>().SelectMany(source => source.Endpoints))}");
    Console.WriteLine($"hosting startups: {Environment.GetEnvironmentVariable("ASPNETCORE_HOSTINGSTARTUPASSEMBLIES")}");
    Wait();
    await host.StopAsync();
}

/// <summary>What the application's own tools would show.</summary>
internal static class Counts
{
    public const string Any = "http://127.0.0.1:0";
    private const int Requests = 5;

    private static readonly SortedDictionary<string, int> All = new(StringComparer.Ordinal);
    private static readonly MeterListener Meters = new()
    {
        InstrumentPublished = (instrument, listener) => listener.EnableMeasurementEvents(instrument),
    };

    private static readonly ActivityListener Activities = new()
    {
        ShouldListenTo = source => source.Name.Length > 0,
        Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
        ActivityStopped = activity => Add($"span {activity.Source.Name} {activity.OperationName}"),
    };

    public static void Listen()
    {
        ActivitySource.AddActivityListener(Activities);
        Meters.SetMeasurementEventCallback<double>((instrument, _, _, _) => Add($"metric {instrument.Meter.Name} {instrument.Name}"));
        Meters.Start();
    }

    public static async Task SendRequestsAsync(IServerAddressesFeature addresses)
    {
        using HttpClient client = new() { BaseAddress = new Uri(addresses.Addresses.Single()) };
        for (int i = 0; i < Requests; i++)
        {
            await client.GetStringAsync(new Uri($"/work/{i}", UriKind.Relative));
        }

        using HttpResponseMessage page = await client.GetAsync(new Uri("/picollo", UriKind.Relative));
        Console.WriteLine($"page: {(int)page.StatusCode}");
    }

    public static async Task CallHubAsync(string address)
    {
        using ClientWebSocket socket = new();
        await socket.ConnectAsync(new Uri($"ws{address[4..]}/hub"), CancellationToken.None);
        await SendAsync("""{"protocol":"json","version":1}""");
        await SendAsync("""{"type":1,"invocationId":"1","target":"Echo","arguments":["text"]}""");
        StringBuilder answer = new();
        byte[] buffer = new byte[1000];
        while (!answer.ToString().Contains("text", StringComparison.Ordinal))
        {
            answer.Append(Encoding.UTF8.GetString(buffer.AsSpan(0, (await socket.ReceiveAsync(buffer, CancellationToken.None)).Count)));
        }

        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);

        Task SendAsync(string message) =>
            socket.SendAsync(Encoding.UTF8.GetBytes(message + '\u001e'), WebSocketMessageType.Text, endOfMessage: true, CancellationToken.None);
    }

    public static void Print()
    {
        lock (All)
        {
            foreach ((string name, int count) in All)
            {
                Console.WriteLine($"{name}: {count}");
            }
        }

        foreach (string variable in Environment.GetEnvironmentVariables().Keys.Cast<string>().Order(StringComparer.Ordinal)
            .Where(name => name.StartsWith("PICOLLO_", StringComparison.Ordinal) || name == "DOTNET_STARTUP_HOOKS"))
        {
            Console.WriteLine($"{variable}={Environment.GetEnvironmentVariable(variable)}");
        }
    }

    private static void Add(string what)
    {
        lock (All)
        {
            All[what] = All.GetValueOrDefault(what) + 1;
        }
    }
}

internal sealed class WorkHub : Hub
{
    public string Echo(string text) => Context.ConnectionId.Length > 0 ? text : "";
}

internal sealed class Worker(IHostApplicationLifetime lifetime) : BackgroundService
{
    protected override Task ExecuteAsync(CancellationToken stoppingToken)
    {
        lifetime.StopApplication();
        return Task.CompletedTask;
    }
}

/// <summary>Another startup hook, if the variable names this assembly, too.</summary>
internal static class StartupHook
{
    public static void Initialize() => Console.WriteLine("another hook");
}
