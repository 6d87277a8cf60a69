using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.IO.Compression;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.Logging;

namespace Picollo.Export.Tests;

/// <summary>A receiver on 127.0.0.1 that returns the responses of a test, or the status code 200. With gRPC, it has only HTTP/2.</summary>
internal sealed class OtlpReceiver : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly ConcurrentQueue<Func<HttpContext, Task>> _answers = new();
    private readonly SemaphoreSlim _arrived = new(0);

    private readonly bool _isGrpc;

    private OtlpReceiver(WebApplication app, bool isGrpc) => (_app, _isGrpc) = (app, isGrpc);

    /// <summary>The requests in order: path, headers and uncompressed body.</summary>
    public ConcurrentQueue<(string Path, IReadOnlyDictionary<string, string> Headers, byte[] Body)> Requests { get; } = new();

    public Uri Address => new(_app.Urls.Single());

    public Uri Endpoint => new(Address, "/v1/metrics");

    /// <summary>All data points of all requests.</summary>
    public IEnumerable<OtlpDataPoint> Points => Requests.SelectMany(request => OtlpDataPoint.Read(request.Body));

    public static async Task<OtlpReceiver> StartAsync(
        string address = "http://127.0.0.1:0", bool isGrpc = false, Action<HttpsConnectionAdapterOptions>? configureTls = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration().UseUrls(address).ConfigureKestrel(options =>
        {
            options.ConfigureEndpointDefaults(endpoint => endpoint.Protocols = isGrpc ? HttpProtocols.Http2 : HttpProtocols.Http1);
            options.ConfigureHttpsDefaults(tls => configureTls?.Invoke(tls));
        });
        WebApplication app = builder.Build();
        OtlpReceiver receiver = new(app, isGrpc);
        app.Run(receiver.AnswerAsync);
        await app.StartAsync();
        return receiver;
    }

    /// <summary>Adds the response to a later request, after the responses that were added before.</summary>
    public void Answer(Func<HttpContext, Task> answer) => _answers.Enqueue(answer);

    public void Answer(int statusCode, string? retryAfter = null) => Answer(context =>
    {
        context.Response.StatusCode = statusCode;
        if (retryAfter is not null)
        {
            context.Response.Headers.RetryAfter = retryAfter;
        }

        return Task.CompletedTask;
    });

    /// <summary>Adds a response with a gRPC status, which is in the headers if there is no message.</summary>
    public void AnswerGrpc(string? status, string? details = null, byte[]? message = null) =>
        Answer(context => AnswerGrpcAsync(context, status, details, message));

    /// <summary>Waits for the next request that was not yet awaited.</summary>
    public Task WaitAsync() => _arrived.WaitAsync(TimeSpan.FromSeconds(60)).ContinueWith(
        wait => wait.Result.Should().BeTrue("a request was expected"), TaskScheduler.Default);

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();

    private async Task AnswerAsync(HttpContext context)
    {
        using MemoryStream body = new();
        byte[] prefix = new byte[_isGrpc ? 5 : 0];
        await context.Request.Body.ReadExactlyAsync(prefix);
        bool isCompressed = _isGrpc ? prefix[0] == 1 : context.Request.Headers.ContentEncoding == "gzip";
        using MemoryStream sent = new();
        await context.Request.Body.CopyToAsync(sent);
        sent.Position = 0;
        Stream source = isCompressed ? new GZipStream(sent, CompressionMode.Decompress) : sent;
        await source.CopyToAsync(body);
        if (_isGrpc)
        {
            BinaryPrimitives.ReadInt32BigEndian(prefix.AsSpan(1)).Should().Be((int)sent.Length);
        }

        Requests.Enqueue((
            context.Request.Path,
            context.Request.Headers.ToDictionary(header => header.Key, header => header.Value.ToString(), StringComparer.OrdinalIgnoreCase),
            body.ToArray()));
        _arrived.Release();
        context.Response.ContentType = _isGrpc ? "application/grpc" : "application/x-protobuf";
        if (_answers.TryDequeue(out Func<HttpContext, Task>? answer))
        {
            await answer(context);
        }
        else if (_isGrpc)
        {
            await AnswerGrpcAsync(context, "0", null, []);
        }
    }

    private static async Task AnswerGrpcAsync(HttpContext context, string? status, string? details, byte[]? message)
    {
        if (message is not null)
        {
            await context.Response.Body.WriteAsync((byte[])[0, 0, 0, 0, (byte)message.Length, .. message]);
        }

        foreach ((string name, string? value) in new[] { ("grpc-status", status), ("grpc-status-details-bin", details) })
        {
            if (value is not null && message is null)
            {
                context.Response.Headers[name] = value;
            }
            else if (value is not null)
            {
                context.Response.AppendTrailer(name, value);
            }
        }
    }
}
