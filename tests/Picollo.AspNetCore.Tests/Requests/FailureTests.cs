using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that a request that fails is not counted as a success, whatever its status is.</summary>
public class FailureTests
{
    private const string Thrown = "System.InvalidOperationException";

    [Fact]
    public async Task A_response_that_fails_halfway_is_a_server_error()
    {
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapGet("/half", (HttpContext context) => FailHalfwayAsync(context, new InvalidOperationException("halfway")));
            web.MapGet("/timeout", (HttpContext context) => FailHalfwayAsync(context, new TaskCanceledException("timeout")));
            web.MapGet("/bad", (HttpContext context) => FailHalfwayAsync(context, new Microsoft.AspNetCore.Http.BadHttpRequestException("bad", 413)));
        });
        foreach (string path in new[] { "/half", "/timeout", "/bad" })
        {
            await app.Client.Invoking(client => client.GetStringAsync(path)).Should().ThrowAsync<HttpRequestException>();
        }

        (await Responses.ClassesAsync(app, 3, "/half")).Should().Be("5xx 1");
        (await Responses.DurationsAsync(app, "/half")).Should().Equal($"error_type=\"{Thrown}\" http_response_status_code=\"200\" 1");
        (await Responses.ClassesAsync(app, 3, "/timeout")).Should().Be("5xx 1");
        (await Responses.ClassesAsync(app, 3, "/bad")).Should().Be("4xx 1", "the client has sent an invalid body");
        using JsonDocument json = JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json"));
        json.RootElement.GetProperty("routes").EnumerateArray().Single(one => one.GetProperty("route").GetString() == "/half")
            .GetProperty("responsesByStatus")[0].GetRawText()
            .Should().Be($$"""{"statusCode":200,"rpcStatusCode":null,"errorType":"{{Thrown}}","count":1}""");
        (await app.Client.GetStringAsync("/picollo")).Should().Contain($"<td data-name=\"error type\"><code>{Thrown}</code></td>");
    }

    [Fact]
    public async Task Errors_have_the_type_of_the_exception_or_the_status()
    {
        await using RequestApp app = await StartAsync(web =>
        {
            web.Map("/handled", branch =>
            {
                branch.UseExceptionHandler(error => error.Run(context => context.Response.WriteAsync("sorry")));
                branch.Run(_ => throw new InvalidOperationException("handled"));
            });
            web.MapGet("/thrown", string () => throw new InvalidOperationException("thrown"));
            web.MapGet("/status", (int code) => Results.StatusCode(code));
        });
        foreach (string path in new[] { "/handled", "/thrown", "/status?code=503", "/status?code=404" })
        {
            await app.Client.GetAsync(path);
        }

        await app.GetCountsAsync(4);
        string[] thrown = [$"error_type=\"{Thrown}\" http_response_status_code=\"500\" 1"];
        (await Responses.DurationsAsync(app, "/handled (no endpoint)")).Should().Equal(thrown);
        (await Responses.DurationsAsync(app, "/thrown")).Should().Equal(thrown);
        (await Responses.DurationsAsync(app, "/status")).Should().Equal(
            "error_type=\"503\" http_response_status_code=\"503\" 1", "http_response_status_code=\"404\" 1");
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task A_request_that_the_server_aborts_is_a_server_error(bool hasStarted, bool isHttp2)
    {
        await using RequestApp app = await StartAsync(
            web => web.MapGet("/abort", async (HttpContext context) =>
            {
                // The token exists, so that it is canceled later, on another thread.
                context.RequestAborted.IsCancellationRequested.Should().BeFalse();
                if (hasStarted)
                {
                    await context.Response.WriteAsync("half");
                    await context.Response.Body.FlushAsync();
                }

                context.Abort();
            }),
            isHttp2 ? HttpProtocols.Http2 : HttpProtocols.Http1);
        await app.Client.Invoking(client => client.GetStringAsync("/abort")).Should().ThrowAsync<HttpRequestException>();

        (await Responses.ClassesAsync(app, 1, "/abort")).Should().Be("5xx 1");
        (await Responses.DurationsAsync(app, "/abort")).Should().ContainSingle().Which.Should().StartWith("error_type=\"aborted\"");
    }

    /// <summary>HTTP/1.1 has no reset. A server that ends a complete response with NO_ERROR asks its client to stop the request body.</summary>
    [Theory]
    [InlineData(2, "5xx 1")]
    [InlineData(0, "2xx 1")]
    public async Task A_response_that_the_server_resets_is_a_server_error_unless_it_is_complete(int error, string expected)
    {
        await using RequestApp app = await StartAsync(
            web => web.MapGet("/reset", async (HttpContext context) =>
            {
                await context.Response.WriteAsync("data");
                if (error == 0)
                {
                    await context.Response.CompleteAsync();
                }

                context.Features.Get<IHttpResetFeature>()!.Reset(error);
            }),
            HttpProtocols.Http2);
        try
        {
            await app.Client.GetStringAsync("/reset");
        }
        catch (HttpRequestException)
        {
            // The client may see the reset before the end of the response.
        }

        (await Responses.ClassesAsync(app, 1, "/reset")).Should().Be(expected);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_that_fails_because_its_client_disconnects_is_aborted(bool hasStarted)
    {
        using Steps steps = new();
        await using RequestApp app = await StartAsync(web => web.MapPost("/upload", async (HttpContext context) =>
        {
            if (hasStarted)
            {
                await context.Response.WriteAsync("half");
                await context.Response.Body.FlushAsync();
            }

            _ = steps.NextAsync();
            await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted);
            await Task.Delay(Timeout.Infinite, context.RequestAborted);
        }));
        using (TcpClient client = new())
        {
            await client.ConnectAsync(IPAddress.Loopback, app.Address.Port);
            await client.GetStream().WriteAsync("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
            await steps.ReachedAsync();
        }

        (await Responses.ClassesAsync(app, 1, "/upload")).Should().Be("aborted 1");
        (await Responses.DurationsAsync(app, "/upload")).Should().ContainSingle().Which.Should().NotContain("error_type");
    }

    [Theory]
    [InlineData(true, "5xx 1")]
    [InlineData(false, "aborted 1")]
    public async Task A_WebSocket_fails_with_its_handler_and_is_aborted_by_its_client(bool throws, string expected)
    {
        using Steps steps = new();
        await using RequestApp app = await StartAsync(web =>
        {
            web.UseWebSockets();
            web.Map("/socket", async (HttpContext context) =>
            {
                using WebSocket accepted = await context.WebSockets.AcceptWebSocketAsync();
                _ = steps.NextAsync();
                await (throws ? Task.FromException(new InvalidOperationException("thrown")) : accepted.ReceiveAsync(new byte[1], CancellationToken.None));
            });
        });
        using ClientWebSocket client = new();
        await client.ConnectAsync(new Uri($"ws://{app.Address.Authority}/socket"), CancellationToken.None);
        await steps.ReachedAsync();
        if (!throws)
        {
            client.Abort();
        }

        (await Responses.ClassesAsync(app, 1, "/socket (long-lived)")).Should().Be(expected);
    }

    [Fact]
    public async Task The_context_works_as_without_the_middleware()
    {
        List<bool> canceled = [];
        await using RequestApp app = await StartAsync(web => web.MapGet("/token", (HttpContext context) =>
        {
            using CancellationTokenSource own = new();
            CancellationToken before = context.RequestAborted;
            context.RequestAborted = own.Token;
            own.Cancel();
            canceled.Add(context.RequestAborted.IsCancellationRequested);
            context.RequestAborted = before;
            canceled.Add(context.RequestAborted.IsCancellationRequested);
            canceled.Add(context.Features.Get<IHttpResetFeature>() is not null);
            return "token";
        }));
        (await app.Client.GetStringAsync("/token")).Should().Be("token");

        canceled.Should().Equal(true, false, false);
        (await Responses.ClassesAsync(app, 1, "/token")).Should().Be("2xx 1");
    }

    [Fact]
    public async Task A_timeout_that_the_application_sets_for_a_request_is_a_server_error()
    {
        await using RequestApp app = await StartAsync(web => web.MapGet("/slow", async (HttpContext context) =>
        {
            using CancellationTokenSource timeout = new(1);
            context.RequestAborted = timeout.Token; // not restored
            await Task.Delay(Timeout.Infinite, context.RequestAborted);
        }));
        (await app.Client.GetAsync("/slow")).StatusCode.Should().Be(HttpStatusCode.InternalServerError);

        (await Responses.ClassesAsync(app, 1, "/slow")).Should().Be("5xx 1");
    }

    private static async Task FailHalfwayAsync(HttpContext context, Exception failure)
    {
        await context.Response.WriteAsync("half");
        await context.Response.Body.FlushAsync();
        throw failure;
    }

    private static async Task<RequestApp> StartAsync(Action<WebApplication> map, HttpProtocols protocols = HttpProtocols.Http1)
    {
        RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                map(web);
                web.MapPicollo().AllowAnonymous();
            },
            build: builder => builder.Environment.EnvironmentName = "Production",
            protocols: protocols);
        app.Client.DefaultRequestVersion = protocols == HttpProtocols.Http2 ? HttpVersion.Version20 : HttpVersion.Version11;
        app.Client.DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        return app;
    }
}
