using System.Net.Http.Headers;
using System.Text;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that gRPC calls are counted by their gRPC status, because the HTTP status is 200 even if a call fails.</summary>
[Trait("Category", "Slow")]
public class GrpcTests
{
    private const string Unary = "/test.Commands/Unary";
    private const string Stream = "/test.Commands/Stream (long-lived)";

    private static readonly string[] Names =
    [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ];

    [Theory]
    [InlineData("fail")]
    [InlineData("status")]
    public async Task Calls_are_counted_by_their_gRPC_status(string command)
    {
        string[] serverErrors = ["UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"];
        using Steps steps = new();
        await using RequestApp app = await StartAsync(steps);
        (await CallAsync(app, "ok")).Should().Be(StatusCode.OK);
        for (int code = 1; code < Names.Length; code++)
        {
            (await CallAsync(app, $"{command} {code}")).Should().Be((StatusCode)code);
        }

        (await Responses.ClassesAsync(app, Names.Length, Unary)).Should().Be("2xx 1, 4xx 9, 5xx 6, aborted 1");
        string[] durations = await Responses.DurationsAsync(app, Unary);
        foreach (string name in Names)
        {
            string error = serverErrors.Contains(name) ? $"error_type=\"{name}\" " : "";
            durations.Should().Contain($"{error}http_response_status_code=\"200\" rpc_response_status_code=\"{name}\" 1");
        }
    }

    [Fact]
    public async Task A_method_that_throws_and_unknown_methods_are_server_errors()
    {
        using Steps steps = new();
        await using RequestApp app = await StartAsync(steps);
        (await CallAsync(app, "throw")).Should().Be(StatusCode.Unknown);
        (await CallAsync(app, "", GrpcMethods.Missing)).Should().Be(StatusCode.Unimplemented);

        (await Responses.ClassesAsync(app, 2, Unary)).Should().Be("5xx 1");
        (await Responses.DurationsAsync(app, Unary)).Should().Equal("error_type=\"UNKNOWN\" http_response_status_code=\"200\" rpc_response_status_code=\"UNKNOWN\" 1");
        app.Routes.All.Should().HaveCount(2).And.OnlyContain(route => route.Responses == 1 && route[ResponseClass.ServerError] == 1);
    }

    [Theory]
    [InlineData("wait")]
    [InlineData("wait and return")]
    public async Task A_call_that_the_client_cancels_is_aborted(string command)
    {
        using Steps steps = new();
        await using RequestApp app = await StartAsync(steps);
        using CancellationTokenSource cancel = new();
        Task<StatusCode> call = CallAsync(app, command, options: new CallOptions(cancellationToken: cancel.Token));
        await steps.ReachedAsync();
        await cancel.CancelAsync();
        (await call).Should().Be(StatusCode.Cancelled);

        (await Responses.ClassesAsync(app, 1, Unary)).Should().Be("aborted 1");
        (await Responses.DurationsAsync(app, Unary)).Should().ContainSingle().Which.Should().EndWith("rpc_response_status_code=\"CANCELLED\" 1")
            .And.NotContain("error_type");
    }

    [Fact]
    public async Task A_call_that_exceeds_its_deadline_is_a_server_error()
    {
        using Steps steps = new();
        await using RequestApp app = await StartAsync(steps);
        await CallAsync(app, "first"); // connects
        using HttpRequestMessage request = Message(app, Unary, "wait");
        request.Headers.Add("grpc-timeout", "300m");
        (await app.Client.SendAsync(request)).Headers.GetValues("grpc-status").Should().Equal("4");

        (await Responses.ClassesAsync(app, 2, Unary)).Should().Be("2xx 1, 5xx 1");
        (await Responses.DurationsAsync(app, Unary)).Should().ContainSingle(line => line.StartsWith("error_type=\"DEADLINE_EXCEEDED\"")
            && line.Contains("rpc_response_status_code=\"DEADLINE_EXCEEDED\""));
    }

    [Fact]
    public async Task A_stream_that_fails_after_messages_is_a_failure()
    {
        using Steps steps = new();
        await using RequestApp app = await StartAsync(steps);
        (await ReadAsync(app, "fail 13", CancellationToken.None)).Should().Be((2, StatusCode.Internal));
        (await ReadAsync(app, "fail 5", CancellationToken.None)).Should().Be((2, StatusCode.NotFound));
        (await ReadAsync(app, "", CancellationToken.None)).Should().Be((2, StatusCode.OK));
        using CancellationTokenSource cancel = new();
        Task<(int, StatusCode)> waiting = ReadAsync(app, "wait", cancel.Token);
        await steps.ReachedAsync();
        await cancel.CancelAsync();
        (await waiting).Item2.Should().Be(StatusCode.Cancelled); // the client may not have read the messages yet

        (await Responses.ClassesAsync(app, 4, Stream)).Should().Be("2xx 1, 4xx 1, 5xx 1, aborted 1");
    }

    /// <summary>The status of a gRPC-Web response is in its body, so it is read where the gRPC-Web middleware writes it.</summary>
    [Theory]
    [InlineData("application/grpc-web", false)]
    [InlineData("application/grpc-web", true)]
    [InlineData("application/grpc-web-text", false)]
    public async Task Calls_over_gRPC_Web_are_counted_by_their_gRPC_status(string type, bool isMeasuredInside)
    {
        using Steps steps = new();
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseGrpcWeb(new GrpcWebOptions { DefaultEnabled = true });
                if (isMeasuredInside)
                {
                    web.UsePicollo();
                }

                web.MapGrpcService<GrpcCommands>();
                web.MapPicollo().AllowAnonymous();
            },
            build: builder => builder.Services.AddSingleton(steps).AddGrpc(),
            measureAll: !isMeasuredInside);
        foreach (string command in new[] { "ok", "status 13", "fail 13", "fail 5" })
        {
            byte[] body = Frame(command);
            using ByteArrayContent content = new(type.EndsWith("text", StringComparison.Ordinal) ? Encoding.ASCII.GetBytes(Convert.ToBase64String(body)) : body);
            content.Headers.ContentType = new MediaTypeHeaderValue(type);
            using HttpResponseMessage response = await app.Client.PostAsync(Unary, content);
            response.StatusCode.Should().Be(HttpStatusCode.OK);
        }

        (await Responses.ClassesAsync(app, 4, Unary)).Should().Be("2xx 1, 4xx 1, 5xx 2");
    }

    [Theory]
    [InlineData("application/json", 200, "13", "2xx 1")]
    [InlineData("application/grpc", 401, null, "4xx 1")]
    [InlineData("application/grpc", 503, null, "5xx 1")]
    [InlineData("application/grpc+proto", 200, null, "5xx 1")]
    [InlineData("application/grpc-web", 200, null, "2xx 1")]
    [InlineData("APPLICATION/GRPC;x=y", 200, "13", "5xx 1")]
    public async Task Without_a_gRPC_status_the_HTTP_status_decides(string type, int code, string? status, string expected)
    {
        await using RequestApp app = await RawAsync(web => web.MapPost("/raw", context =>
        {
            context.Response.ContentType = code == 200 ? context.Request.ContentType : "text/plain";
            context.Response.StatusCode = code;
            context.Response.Headers["grpc-status"] = status; // null sends none
            return context.Response.WriteAsync("x");
        }));
        using HttpRequestMessage request = Message(app, "/raw", "x");
        request.Content!.Headers.Remove("Content-Type");
        request.Content.Headers.TryAddWithoutValidation("Content-Type", type);
        (await app.Client.SendAsync(request)).Dispose();

        (await Responses.ClassesAsync(app, 1, "/raw")).Should().Be(expected);
    }

    private static async Task<RequestApp> StartAsync(Steps steps) => WithHttp2(await RequestApp.StartAsync(
        web =>
        {
            web.MapGrpcService<GrpcCommands>();
            web.MapPicollo().AllowAnonymous();
        },
        build: builder => builder.Services.AddSingleton(steps).AddGrpc(),
        protocols: HttpProtocols.Http2));

    private static async Task<RequestApp> RawAsync(Action<WebApplication> map) => WithHttp2(await RequestApp.StartAsync(
        web =>
        {
            map(web);
            web.MapPicollo().AllowAnonymous();
        },
        protocols: HttpProtocols.Http2));

    private static RequestApp WithHttp2(RequestApp app)
    {
        app.Client.DefaultRequestVersion = HttpVersion.Version20;
        app.Client.DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        return app;
    }

    private static HttpRequestMessage Message(RequestApp app, string path, string message) => new(HttpMethod.Post, new Uri(app.Address, path))
    {
        Version = HttpVersion.Version20,
        VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        Headers = { { "TE", "trailers" } },
        Content = new ByteArrayContent(Frame(message)) { Headers = { ContentType = new MediaTypeHeaderValue("application/grpc") } },
    };

    /// <summary>Returns a message with the prefix of gRPC: a flag, and the length in four bytes.</summary>
    private static byte[] Frame(string message) => [0, 0, 0, 0, (byte)message.Length, .. Encoding.UTF8.GetBytes(message)];

    private static async Task<StatusCode> CallAsync(
        RequestApp app, string command, Method<string, string>? method = null, CallOptions options = default)
    {
        using GrpcChannel channel = GrpcChannel.ForAddress(app.Address);
        try
        {
            await channel.CreateCallInvoker().AsyncUnaryCall(method ?? GrpcMethods.Unary, null, options, command);
            return StatusCode.OK;
        }
        catch (RpcException failure)
        {
            return failure.StatusCode;
        }
    }

    private static async Task<(int Messages, StatusCode Status)> ReadAsync(RequestApp app, string command, CancellationToken cancellation)
    {
        int messages = 0;
        using GrpcChannel channel = GrpcChannel.ForAddress(app.Address);
        using AsyncServerStreamingCall<string> call =
            channel.CreateCallInvoker().AsyncServerStreamingCall(GrpcMethods.Stream, null, new CallOptions(cancellationToken: cancellation), command);
        try
        {
            while (await call.ResponseStream.MoveNext(CancellationToken.None))
            {
                messages++;
            }

            return (messages, StatusCode.OK);
        }
        catch (RpcException failure)
        {
            return (messages, failure.StatusCode);
        }
    }
}
