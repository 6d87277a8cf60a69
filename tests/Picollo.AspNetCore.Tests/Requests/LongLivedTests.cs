using System.Net.WebSockets;
using Microsoft.AspNetCore.Server.Kestrel.Core;

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
        (await app.CountsAfterAsync("/events?stream=true", "/events?stream=false", "/poll", "/short")).Should().Equal(
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
                    Burn.Milliseconds(20);
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
        app.Routes.All.Single().SumOf(RunFact.CpuTime).Should().BeGreaterThanOrEqualTo(20_000_000);
    }
}
