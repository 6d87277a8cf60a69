using System.Net.Sockets;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that a request that fails is not counted as a success, whatever its status is.</summary>
public class FailureTests
{
    private const string Thrown = "System.InvalidOperationException";

    /// <summary>HTTP/1.1 has no reset. A server that ends a complete response with NO_ERROR asks its client to stop the request body.</summary>
    [Theory]
    [InlineData("/half", 1, "5xx 1", $"error_type=\"{Thrown}\" http_response_status_code=\"200\" 1")]
    [InlineData("/timeout", 1, "5xx 1", null)]
    [InlineData("/bad", 1, "4xx 1", null)] // the client has sent an invalid body
    [InlineData("/handled (no endpoint)", 1, "5xx 1", $"error_type=\"{Thrown}\" http_response_status_code=\"500\" 1")]
    [InlineData("/thrown", 1, "5xx 1", $"error_type=\"{Thrown}\" http_response_status_code=\"500\" 1")]
    [InlineData("/thrownLater", 1, "5xx 1", $"error_type=\"{Thrown}\" http_response_status_code=\"500\" 1")]
    [InlineData("/faulted", 1, "5xx 1", $"error_type=\"{Thrown}\" http_response_status_code=\"500\" 1")]
    [InlineData("/canceledTask", 1, "5xx 1", "*http_response_status_code=\"500\" 1")]
    [InlineData("/413", 1, "4xx 1", "http_response_status_code=\"413\" 1")]
    [InlineData("/503", 1, "5xx 1", "error_type=\"503\" http_response_status_code=\"503\" 1")]
    [InlineData("/404", 1, "4xx 1", "http_response_status_code=\"404\" 1")]
    [InlineData("/304", 1, "3xx 1", "http_response_status_code=\"304\" 1")]
    [InlineData("/abort", 1, "5xx 1", "error_type=\"aborted\"*")]
    [InlineData("/abort", 2, "5xx 1", "error_type=\"aborted\"*")]
    [InlineData("/abortLater", 1, "5xx 1", "error_type=\"aborted\"*")]
    [InlineData("/abortLater", 2, "5xx 1", "error_type=\"aborted\"*")]
    [InlineData("/reset", 2, "5xx 1", null)]
    [InlineData("/resetLater", 2, "2xx 1", null)]
    [InlineData("/canceled", 1, "5xx 1", null)]
    public async Task A_failed_request_has_the_class_and_error_of_its_failure(string route, int version, string expected, string? duration)
    {
        await using RequestApp app = await StartAsync(
            web =>
            {
                web.MapGet("/half", context => FailHalfwayAsync(context, new InvalidOperationException("halfway")));
                web.MapGet("/timeout", context => FailHalfwayAsync(context, new TaskCanceledException("timeout")));
                web.MapGet("/bad", context => FailHalfwayAsync(context, new Microsoft.AspNetCore.Http.BadHttpRequestException("bad", 413)));
                web.Map("/handled", branch =>
                {
                    branch.UseExceptionHandler(error => error.Run(context => context.Response.WriteAsync("sorry")));
                    branch.Run(_ => throw new InvalidOperationException("handled"));
                });
                web.MapGet("/thrown", string () => throw new InvalidOperationException("thrown"));
                web.MapGet("/thrownLater", async Task<string> () =>
                {
                    await Task.Yield();
                    throw new InvalidOperationException("thrown later");
                });
                web.MapGet("/faulted", _ => Task.FromException(new InvalidOperationException("faulted")));
                web.MapGet("/canceledTask", _ => Task.FromCanceled(new CancellationToken(canceled: true)));
                web.MapGet("/413", string () => throw new Microsoft.AspNetCore.Http.BadHttpRequestException("too large", 413));
                web.MapGet("/503", () => Results.StatusCode(503));
                web.MapGet("/404", () => Results.StatusCode(404));
                web.MapGet("/304", () => Results.StatusCode(304));
                web.MapGet("/abort", Abort);
                web.MapGet("/abortLater", async context =>
                {
                    await WriteAsync(context);
                    await Abort(context);
                });
                web.MapGet("/reset", async context =>
                {
                    await context.Response.WriteAsync("data");
                    context.Features.Get<IHttpResetFeature>()!.Reset(2);
                });
                web.MapGet("/resetLater", async context =>
                {
                    await context.Response.WriteAsync("data");
                    await context.Response.CompleteAsync();
                    context.Features.Get<IHttpResetFeature>()!.Reset(0);
                });
                web.MapGet("/canceled", async context =>
                {
                    using CancellationTokenSource timeout = new(1);
                    context.RequestAborted = timeout.Token; // not restored
                    await Task.Delay(Timeout.Infinite, context.RequestAborted);
                });
            },
            version == 2 ? HttpProtocols.Http2 : HttpProtocols.Http1);
        await app.Client.GetStringAsync(route.Split(' ')[0]).ContinueWith(_ => { }, TaskScheduler.Default); // it may fail

        (await Responses.ClassesAsync(app, 1, route)).Should().Be(expected);
        (await Responses.DurationsAsync(app, route)).Should().ContainSingle().Which.Should().Match(duration ?? "*");
        if (duration?.Contains(Thrown) == true && !route.StartsWith("/handled", StringComparison.Ordinal))
        {
            app.Log.Of("Microsoft.AspNetCore.Server.Kestrel").Should()
                .ContainSingle(line => line.Event.Name == "ApplicationError", "it propagates");
        }
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public async Task A_request_whose_client_disconnects_is_aborted(bool hasStarted, bool throws)
    {
        using Steps steps = new();
        await using RequestApp app = await StartAsync(web => web.MapPost("/upload", async (HttpContext context) =>
        {
            if (hasStarted)
            {
                await WriteAsync(context);
            }

            _ = steps.NextAsync();
            await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted);
            await Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(_ => { }, TaskScheduler.Default);
            _ = throws ? throw new OperationCanceledException(context.RequestAborted) : 0;
        }));
        using (TcpClient client = new())
        {
            await client.ConnectAsync(IPAddress.Loopback, app.Address.Port);
            await client.GetStream().WriteAsync("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
            await steps.ReachedAsync();
        }

        (await Responses.ClassesAsync(app, 1, "/upload")).Should().Be("aborted 1");
        (await Responses.DurationsAsync(app, "/upload")).Should().ContainSingle()
            .Which.Should().Match(hasStarted ? "http_response_status_code=*" : "http_response_status_code=\"499\" 1");
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

    private static Task Abort(HttpContext context)
    {
        // The token exists, so that it is canceled later, on another thread.
        context.RequestAborted.IsCancellationRequested.Should().BeFalse();
        context.Abort();
        return Task.CompletedTask;
    }

    private static async Task WriteAsync(HttpContext context)
    {
        await context.Response.WriteAsync("half");
        await context.Response.Body.FlushAsync();
    }

    private static async Task FailHalfwayAsync(HttpContext context, Exception failure)
    {
        await WriteAsync(context);
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
