using System.Net;
using System.Net.WebSockets;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Measuring;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that long-lived requests have their own rows, with real clients.</summary>
public class LongLivedTests
{
    [Fact]
    public async Task Server_sent_events_and_marked_endpoints_have_their_own_row()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapGet("/events", async (HttpContext context, bool stream) =>
            {
                context.Response.ContentType = stream ? "text/event-stream" : "text/plain";
                await context.Response.WriteAsync("data: x\n\n");
            });
            web.MapGet("/poll", () => "news").WithLongLivedRequests();
            web.MapGet("/short", () => "short");
        });
        foreach (string path in new[] { "/events?stream=true", "/events?stream=false", "/poll", "/short" })
        {
            await app.Client.GetStringAsync(path);
        }

        (await app.GetCountsAsync(4)).Should().Equal(
            ("GET", "/events", 1), ("GET", "/events (long-lived)", 1), ("GET", "/poll (long-lived)", 1), ("GET", "/short", 1));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task WebSockets_are_long_lived_from_start_to_end(int version)
    {
        using Steps steps = new();
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseWebSockets();
                web.Map("/socket", async (HttpContext context) =>
                {
                    using WebSocket accepted = await context.WebSockets.AcceptWebSocketAsync();
                    await steps.NextAsync();
                    await accepted.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
                });
            },
            protocols: version == 2 ? HttpProtocols.Http2 : HttpProtocols.Http1);
        using ClientWebSocket client = new();
        client.Options.HttpVersion = version == 2 ? HttpVersion.Version20 : HttpVersion.Version11;
        client.Options.HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        using HttpMessageInvoker invoker = new(new SocketsHttpHandler());
        await client.ConnectAsync(new Uri($"ws://{app.Address.Authority}/socket"), invoker, CancellationToken.None);
        await steps.ReachedAsync();
        RunReading running = app.Services.GetRequiredService<RunList>().Read().Single();
        steps.Continue();
        await client.ReceiveAsync(new byte[16], CancellationToken.None);
        await client.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);

        (running.IsLongLived, running.Row.Name).Should().Be((true, "/socket (long-lived)"));
        (await app.GetCountsAsync(1)).Should().Equal((version == 2 ? "CONNECT" : "GET", "/socket (long-lived)", 1));
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(HttpTransportType.WebSockets, false)]
    [InlineData(HttpTransportType.ServerSentEvents, true)]
    [InlineData(HttpTransportType.LongPolling, true)]
    public async Task SignalR_is_long_lived_on_each_transport_except_for_messages_of_the_client(HttpTransportType transport, bool hasPosts)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapHub<EchoHub>("/hub"),
            build: builder => builder.Services.AddSignalR());
        HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(app.Address, "/hub"), transport).Build();
        await connection.StartAsync();
        (await connection.InvokeAsync<string>("Echo", "hello")).Should().Be("hello");
        await connection.StopAsync();
        await connection.DisposeAsync();
        for (int i = 0; i < 6000 && !app.Routes.All.Any(route => route.Route == "/hub (long-lived)"); i++)
        {
            await Task.Delay(10);
        }

        app.Routes.All.Select(route => (route.Method, route.Route)).Where(row => row.Method != "_OTHER").Should().BeEquivalentTo(
            hasPosts
                ? [("GET", "/hub (long-lived)"), ("POST", "/hub/negotiate"), ("POST", "/hub")]
                : new[] { ("GET", "/hub (long-lived)"), ("POST", "/hub/negotiate") });
    }

    [Fact]
    public async Task Rejected_methods_of_the_negotiation_are_not_long_lived()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapHub<EchoHub>("/hub"),
            build: builder => builder.Services.AddSignalR());
        (await app.Client.GetAsync("/hub/negotiate")).StatusCode.Should().Be(HttpStatusCode.MethodNotAllowed);

        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/hub/negotiate", 1));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task GRPC_streams_are_long_lived_and_unary_calls_are_not()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGrpcService<EchoService>(),
            build: builder => builder.Services.AddGrpc(),
            protocols: HttpProtocols.Http2);
        using GrpcChannel channel = GrpcChannel.ForAddress(app.Address);
        CallInvoker calls = channel.CreateCallInvoker();

        (await calls.AsyncUnaryCall(Echo.Unary, null, default, "hello")).Should().Be("hello");
        using (AsyncServerStreamingCall<string> stream = calls.AsyncServerStreamingCall(Echo.Stream, null, default, "hello"))
        {
            (await stream.ResponseStream.MoveNext(CancellationToken.None)).Should().BeTrue();
        }

        for (int i = 0; i < 6000 && app.Routes.All.Count < 2; i++)
        {
            await Task.Delay(10);
        }

        app.Routes.All.Select(route => route.Route).Should().Equal("/echo.Echo/Stream (long-lived)", "/echo.Echo/Unary");
    }

    private sealed class EchoHub : Hub
    {
        public string Echo(string text) => Context.ConnectionId.Length > 0 ? text : "";
    }

    // The output of the gRPC compiler for a service with two methods.
    private static class Echo
    {
        private static readonly Marshaller<string> Text = new(System.Text.Encoding.UTF8.GetBytes, System.Text.Encoding.UTF8.GetString);

        public static readonly Method<string, string> Unary = new(MethodType.Unary, "echo.Echo", "Unary", Text, Text);

        public static readonly Method<string, string> Stream = new(MethodType.ServerStreaming, "echo.Echo", "Stream", Text, Text);

        public static void Bind(ServiceBinderBase binder, EchoBase? service)
        {
            binder.AddMethod(Unary, service is null ? null : new UnaryServerMethod<string, string>(service.Unary));
            binder.AddMethod(Stream, service is null ? null : new ServerStreamingServerMethod<string, string>(service.Stream));
        }
    }

    [BindServiceMethod(typeof(Echo), nameof(Echo.Bind))]
    private abstract class EchoBase
    {
        public abstract Task<string> Unary(string request, ServerCallContext context);

        public abstract Task Stream(string request, IServerStreamWriter<string> responses, ServerCallContext context);
    }

    private sealed class EchoService : EchoBase
    {
        public override Task<string> Unary(string request, ServerCallContext context) => Task.FromResult(request);

        public override Task Stream(string request, IServerStreamWriter<string> responses, ServerCallContext context) => responses.WriteAsync(request);
    }
}
