using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;
using Picollo.Export;
using Picollo.Metrics;

namespace AotApp;

/// <summary>A web application in the style of AOT-compiled applications, with everything that Picollo measures in a web application.</summary>
internal static class Server
{
    private const string Token = "token-of-this-test";

    private static readonly Dictionary<string, string?> Settings = new()
    {
        ["Picollo:Requests:MeasureAllocations"] = "true",
        ["Picollo:Requests:CollectExemplars"] = "true",
        ["Picollo:Requests:AddServerTiming"] = "true",
        ["Picollo:Requests:CpuBudget"] = "00:00:10",
        ["Picollo:Requests:CpuUsageDetail"] = "UserAndKernel",
        ["Picollo:MeasureRuntime"] = "true",
        ["Picollo:EnableProfiling"] = "true",
        ["Picollo:PageToken"] = Token,
        ["Picollo:CpuWorkers:WorkerCount"] = "3",
        ["Picollo:Meters:MeterNames:0"] = "System.Net.Http",
        ["Picollo:Meters:Scales:shop.price"] = "100",
        ["PicolloOtlp:Headers:api-key"] = "key",
        ["PicolloOtlp:Endpoint"] = "ftp://collector",
    };

    public static async Task Run()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = "Development" });
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Configuration.AddInMemoryCollection(Settings);
        builder.Services.AddPicollo(builder.Configuration.GetSection("Picollo")).AddPicolloHubMethods();
        builder.Services.AddPicolloSpans("Microsoft.AspNetCore");
        builder.Services.AddSignalR().AddJsonProtocol(json => json.PayloadSerializerOptions.TypeInfoResolverChain.Insert(0, HubJson.Default));
        await using WebApplication app = builder.Build();
        PicolloOptions options = app.Services.GetRequiredService<IOptions<PicolloOptions>>().Value;
        Facts.Print("options", $"{options.Requests.CpuBudget} {options.Requests.CpuUsageDetail} {options.CpuWorkers.WorkerCount} {options.Meters.Scales.Single()}");
        Facts.Print("invalid-option", await InvalidOption(builder.Configuration.GetSection("PicolloOtlp")));
        app.UsePicollo();
        app.MapPicollo();
        app.MapGet("/items/{id}", (int id) => $"item {id}");
        app.MapGet("/work", async (HttpContext context) => await context.GetCpuTaskContext().CheckpointAsync()).RequireCpuWorker();
        app.MapPost("/v1/metrics", async (HttpRequest request) => await request.Body.CopyToAsync(Stream.Null));
        app.MapHub<Calculator>("/hub");
        app.Map("/branch", branch => branch.UseRouting().UseEndpoints(endpoints => endpoints.MapGet("/leaf", () => "leaf")));
        await app.StartAsync();

        Uri address = new(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());
        using HttpClient client = new() { BaseAddress = address };
        if (!OperatingSystem.IsLinux())
        {
            client.DefaultRequestHeaders.Authorization = new("Bearer", Token); // only Linux reports that the client has the same user
        }

        Facts.Print("item", await client.GetStringAsync("/items/7"));
        Facts.Print("worker", await client.GetStringAsync("/work"));
        Facts.Print("branch", await client.GetStringAsync("/branch/leaf"));
        Facts.Print("hub", await CallHub(address));
        using (app.Services.GetRequiredService<WorkMeter>().Measure("import"))
        {
        }

        await using (OtlpExporter exporter = OtlpExporter.Start(
            app.Services.GetRequiredService<HdrHistogramRegistry>(), new() { Endpoint = new Uri(address, "/v1/metrics"), Interval = TimeSpan.FromHours(1) }))
        {
            Facts.Print("pushed", await exporter.FlushAsync());
        }

        // A request is counted after its response was sent.
        using JsonDocument usage = await ReadUsage(client, requests: 6);
        Facts.Print("routes", Counts(usage, "routes", "route"));
        Facts.Print("named-work", Counts(usage, "work", "name"));
        string page = await client.GetStringAsync("/picollo"), metrics = await client.GetStringAsync("/picollo/metrics");
        Facts.Print("page", page.Contains("<bdi>/items/{id}</bdi>") && page.TrimEnd().EndsWith("</html>"));
        Facts.Print("exposition", metrics.Contains("""http_server_request_duration_seconds_count{http_request_method="GET",http_response_status_code="200",http_route="/items/{id}"} 1"""));

        // The browser keeps the mark and sends it back.
        string item = usage.RootElement.GetProperty("routes").EnumerateArray().First(route => route.GetProperty("route").GetString() == "/items/{id}").GetProperty("id").GetString()!;
        using StringContent mark = new(await client.GetStringAsync($"/picollo/mark?show={item}"));
        await client.GetStringAsync("/items/8");
        using HttpResponseMessage difference = await client.PostAsync($"/picollo/diff?show={item}", mark);
        Facts.Print("difference", difference.IsSuccessStatusCode && (await difference.Content.ReadAsStringAsync()).Contains("<svg"));
        await app.StopAsync();
    }

    private static async Task<string> InvalidOption(IConfigurationSection section)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddPicolloOtlpExporter(section);
        await using WebApplication app = builder.Build();
        try
        {
            await app.StartAsync();
            return "";
        }
        catch (OptionsValidationException e)
        {
            return e.Message;
        }
    }

    private static async Task<JsonDocument> ReadUsage(HttpClient client, int requests)
    {
        JsonDocument? usage = null;
        await Facts.Until(async () =>
        {
            usage = JsonDocument.Parse(await client.GetStringAsync("/picollo/json"));
            return usage.RootElement.GetProperty("routes").EnumerateArray().Sum(route => route.GetProperty("count").GetInt64()) >= requests;
        });
        return usage!;
    }

    private static string Counts(JsonDocument usage, string list, string name) => string.Join(' ', usage.RootElement.GetProperty(list)
        .EnumerateArray().Select(row => $"{row.GetProperty(name).GetString()}:{row.GetProperty("count").GetInt64()}").Order(StringComparer.Ordinal));

    // SignalR's JSON protocol over a web socket: each message ends with a record separator.
    private static async Task<string> CallHub(Uri address)
    {
        const string end = "\x1e";
        using ClientWebSocket socket = new();
        await socket.ConnectAsync(new Uri($"ws://{address.Authority}/hub"), default);
        await Send("""{"protocol":"json","version":1}""");
        await Send("""{"type":1,"invocationId":"1","target":"Add","arguments":[1,2]}""");
        string received = "";
        byte[] buffer = new byte[4096];
        while (!received.Contains("\"result\"") && !received.Contains("error"))
        {
            WebSocketReceiveResult part = await socket.ReceiveAsync(buffer, default);
            received += Encoding.UTF8.GetString(buffer, 0, part.Count);
        }

        return received.Split(end).First(message => message.Contains("invocationId"));

        Task Send(string message) => socket.SendAsync(Encoding.UTF8.GetBytes(message + end), WebSocketMessageType.Text, endOfMessage: true, default);
    }
}

/// <summary>A hub whose method is measured.</summary>
internal sealed class Calculator : Hub
{
    public int Add(int first, int second) => first + second + Context.Items.Count;
}

[JsonSerializable(typeof(int))]
internal sealed partial class HubJson : JsonSerializerContext;
