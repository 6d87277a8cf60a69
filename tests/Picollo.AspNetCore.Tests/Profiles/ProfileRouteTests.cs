using System.Net.WebSockets;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.AspNetCore.TestHost;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Profiling;
using static Picollo.AspNetCore.Tests.Profiles.ProfileWork;

namespace Picollo.AspNetCore.Tests.Profiles;

/// <summary>Tests the routes to which the samples of unusual requests are attributed.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ProfileRouteTests
{
    private const int Times = 8;
    private readonly ProfileEnd _end = new();

    [TheoryNeeding(Need.PerfEvents)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_error_page_is_attributed_to_the_route_of_its_request_or_to_none_if_it_is_not_measured(bool isMeasured)
    {
        await using PageServer server = await StartAsync(application =>
        {
            _ = isMeasured ? application.UsePicollo() : application;
            application.UseExceptionHandler("/error");
            application.UseStatusCodePagesWithReExecute("/status/{0}");
            _ = isMeasured ? application : application.UsePicollo();
            application.MapGet("/throws/{id}", async () =>
            {
                await AnswerAsync(BurnSixty, 20);
                throw new InvalidOperationException("the error page answers");
            });
            application.MapGet("/refuses", async (HttpContext context) =>
            {
                await AnswerAsync(BurnForty, 20);
                context.Response.StatusCode = StatusCodes.Status403Forbidden;
            });
            application.MapGet("/error", () => AnswerAsync(BurnHidden, 20));
            application.MapGet("/status/{code}", () => AnswerAsync(BurnMore, 20));
        });

        CpuProfile profile = await TakeAsync(server, _end, async () =>
        {
            for (int i = 0; i < Times; i++)
            {
                await FailAsync(server, "/throws/7", HttpStatusCode.InternalServerError);
                await FailAsync(server, "/refuses", HttpStatusCode.Forbidden);
            }
        });

        PartOf(profile, nameof(BurnSixty)).Should().Be("GET /throws/{id}");
        PartOf(profile, nameof(BurnForty)).Should().Be("GET /refuses");
        PartOf(profile, nameof(BurnHidden)).Should().Be(isMeasured ? "GET /throws/{id}" : CpuProfile.NoRequest);
        PartOf(profile, nameof(BurnMore)).Should().Be(isMeasured ? "GET /refuses" : CpuProfile.NoRequest);
        Rows(server).Should().Equal(["GET /refuses", "GET /throws/{id}"], "the rows of the page count these requests in the same way");
    }

    /// <summary>The inner request is sent to the same server, or to one in memory, within the flow of its sender or outside it.</summary>
    [TheoryNeeding(Need.PerfEvents)]
    [InlineData(null)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_of_a_server_to_itself_or_to_an_in_memory_server_has_its_own_route(bool? isWithin)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseTestServer(options => options.PreserveExecutionContext = isWithin == true);
        builder.Services.AddPicollo();
        await using WebApplication inner = builder.Build();
        inner.UsePicollo();
        inner.MapGet("/inner", () => AnswerAsync(BurnForty, 20));
        await inner.StartAsync();
        HttpClient client = inner.GetTestClient();
        await using PageServer server = await StartAsync(application =>
        {
            application.UsePicollo();
            application.MapGet("/inner", () => AnswerAsync(BurnForty, 20));
            application.MapGet("/outer", async () =>
            {
                await AnswerAsync(BurnSixty, 20);
                string answer = await client.GetStringAsync(new Uri("/inner", UriKind.Relative));
                await AnswerAsync(BurnHidden, 20);
                return answer;
            });
        });
        client = isWithin is null ? server.Client : client;

        CpuProfile profile = await TakeAsync(server, _end, () => RequestAsync(server, "/outer", Times));

        PartOf(profile, nameof(BurnSixty)).Should().Be("GET /outer");
        PartOf(profile, nameof(BurnForty)).Should().Be("GET /inner");
        PartOf(profile, nameof(BurnHidden)).Should().Be("GET /outer");
    }

    [TheoryNeeding(Need.PerfEvents)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task The_messages_of_an_open_WebSocket_are_attributed_to_its_route(bool isOpenedBefore, bool isClosedBefore)
    {
        await using PageServer server = await StartAsync(application =>
        {
            application.UsePicollo();
            application.UseWebSockets();
            application.MapGet("/socket/{id}", async (HttpContext context) =>
            {
                using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
                for (int i = 0; (await socket.ReceiveAsync(new byte[16], CancellationToken.None)).MessageType != WebSocketMessageType.Close; i++)
                {
                    // The first message keeps the thread in the flow until a profile has started, without a switch.
                    do
                    {
                        Burn(BurnSixty, 20);
                    }
                    while (i == 0 && !FlowRecorder.IsActive);
                    await AnswerAsync(BurnForty, 20);
                    await socket.SendAsync(new byte[] { 1 }, WebSocketMessageType.Binary, true, CancellationToken.None);
                }

                await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
            });
        });
        using ClientWebSocket client = new();
        if (isOpenedBefore)
        {
            await OpenAsync();
        }

        CpuProfile profile = await TakeAsync(server, _end, async () =>
        {
            if (!isOpenedBefore)
            {
                await OpenAsync();
            }

            await client.ReceiveAsync(new byte[16], CancellationToken.None);
            for (int i = 1; i < Times; i++)
            {
                await SendAsync();
                await client.ReceiveAsync(new byte[16], CancellationToken.None);
            }

            if (isClosedBefore)
            {
                await CloseAsync();
            }
        });
        if (!isClosedBefore)
        {
            await CloseAsync();
        }

        PartOf(profile, nameof(BurnSixty)).Should().Be("GET /socket/{id} (long-lived)");
        PartOf(profile, nameof(BurnForty)).Should().Be("GET /socket/{id} (long-lived)");
        await Eventually.IsTrueAsync(() => Rows(server).Length > 0);
        Rows(server).Should().Equal("GET /socket/{id} (long-lived)");

        async Task OpenAsync()
        {
            await client.ConnectAsync(new Uri($"ws://{server.Address.Authority}/socket/7"), CancellationToken.None);
            await SendAsync();
        }

        Task SendAsync() => client.SendAsync(new byte[] { 1 }, WebSocketMessageType.Binary, true, CancellationToken.None);

        Task CloseAsync() => client.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
    }

    [TheoryNeeding(Need.PerfEvents)]
    [InlineData(HttpTransportType.WebSockets, false)]
    [InlineData(HttpTransportType.LongPolling, false)]
    [InlineData(HttpTransportType.ServerSentEvents, true)]
    [InlineData(HttpTransportType.LongPolling, true)]
    public async Task Hub_methods_of_an_open_connection_are_attributed_to_its_route_or_to_their_names(HttpTransportType transport, bool isNamed)
    {
        await using PageServer server = await StartAsync(
            application =>
            {
                application.UsePicollo();
                application.MapHub<BurningHub>("/hub");
            },
            builder =>
            {
                builder.Services.AddSignalR();
                if (isNamed)
                {
                    builder.Services.AddPicollo().AddPicolloHubMethods();
                }
            });
        await using HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(server.Address, "/hub"), transport).Build();
        await connection.StartAsync();

        CpuProfile profile = await TakeAsync(server, _end, async () =>
        {
            for (int i = 0; i < Times; i++)
            {
                (await connection.InvokeAsync<string>(nameof(BurningHub.Work))).Should().Be("done");
            }
        });

        PartOf(profile, nameof(BurnSixty)).Should().Be(isNamed ? "BurningHub.Work" : "GET /hub (long-lived)");
    }

    private static async Task FailAsync(PageServer server, string path, HttpStatusCode expected)
    {
        using HttpResponseMessage response = await server.Client.GetAsync(path);
        response.StatusCode.Should().Be(expected);
    }

    private static string[] Rows(PageServer server) =>
        [.. server.Application.Services.GetRequiredService<RouteTable>().All.Select(row => $"{row.Method} {row.Route}")];

    private Task<PageServer> StartAsync(Action<WebApplication> map, Action<WebApplicationBuilder>? build = null) => PageServer.StartAsync(
        application =>
        {
            application.MapPicollo();
            map(application);
        },
        options => options.EnableProfiling = true,
        builder =>
        {
            builder.Services.AddSingleton<TimeProvider>(_end);
            build?.Invoke(builder);
        });

    private sealed class BurningHub : Hub
    {
        public Task<string> Work() => AnswerAsync(BurnSixty, Context.ConnectionId.Length > 0 ? 20 : 0);
    }
}
