using System.Collections.Concurrent;
using System.IO.Compression;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Picollo.Export.Tests;

/// <summary>A receiver on 127.0.0.1 that returns the responses of a test, or the status code 200.</summary>
internal sealed class OtlpReceiver : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly ConcurrentQueue<Func<HttpContext, Task>> _answers = new();
    private readonly SemaphoreSlim _arrived = new(0);

    private OtlpReceiver(WebApplication app) => _app = app;

    /// <summary>The requests in order: path, headers and uncompressed body.</summary>
    public ConcurrentQueue<(string Path, IReadOnlyDictionary<string, string> Headers, byte[] Body)> Requests { get; } = new();

    public Uri Address => new(_app.Urls.Single());

    public Uri Endpoint => new(Address, "/v1/metrics");

    /// <summary>All data points of all requests.</summary>
    public IEnumerable<OtlpDataPoint> Points => Requests.SelectMany(request => OtlpDataPoint.Read(request.Body));

    public static async Task<OtlpReceiver> StartAsync(string address = "http://127.0.0.1:0")
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(address);
        WebApplication app = builder.Build();
        OtlpReceiver receiver = new(app);
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

    /// <summary>Waits for the next request that was not yet awaited.</summary>
    public Task WaitAsync() => _arrived.WaitAsync(TimeSpan.FromSeconds(60)).ContinueWith(
        wait => wait.Result.Should().BeTrue("a request was expected"), TaskScheduler.Default);

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();

    private async Task AnswerAsync(HttpContext context)
    {
        using MemoryStream body = new();
        bool isCompressed = context.Request.Headers.ContentEncoding == "gzip";
        Stream source = isCompressed ? new GZipStream(context.Request.Body, CompressionMode.Decompress) : context.Request.Body;
        await source.CopyToAsync(body);
        Requests.Enqueue((
            context.Request.Path,
            context.Request.Headers.ToDictionary(header => header.Key, header => header.Value.ToString(), StringComparer.OrdinalIgnoreCase),
            body.ToArray()));
        _arrived.Release();
        context.Response.ContentType = "application/x-protobuf";
        if (_answers.TryDequeue(out Func<HttpContext, Task>? answer))
        {
            await answer(context);
        }
    }
}
