namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the sizes of request bodies by route.</summary>
public class RequestBodyBytesTests
{
    /// <summary>Otherwise, two requests would make the sum negative.</summary>
    [Theory]
    [InlineData(null, RunValues.Unknown), InlineData(0L, RunValues.Unknown), InlineData(1L, 1L), InlineData(1L << 40, 1L << 40)]
    [InlineData((1L << 40) + 1, RunValues.Unknown), InlineData(long.MaxValue, RunValues.Unknown)]
    public void Only_possible_sizes_are_recorded(long? declared, long recorded)
    {
        using CpuUsageAsyncWatcher watcher = new();
        DefaultHttpContext context = new() { Request = { ContentLength = declared } };

        new RunValues(watcher, open: null, context.Request)[RunFact.RequestBodyBytes].Should().Be(recorded);
    }

    [Fact]
    public async Task The_declared_size_is_recorded_and_an_unknown_size_is_not()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapPost("/upload", async (HttpRequest request) => await request.Body.CopyToAsync(Stream.Null));
            web.MapGet("/plain", () => "no body");
        });
        foreach (int size in new[] { 3_000, 0, 5_000 })
        {
            await app.Client.PostAsync("/upload", new ByteArrayContent(new byte[size]));
        }

        using HttpRequestMessage chunked = new(HttpMethod.Post, "/upload") { Content = new ByteArrayContent(new byte[7_000]) };
        chunked.Headers.TransferEncodingChunked = true;
        await app.Client.SendAsync(chunked);
        await app.Client.GetStringAsync("/plain");
        await app.GetCountsAsync(5);

        RouteRow upload = app.Routes.All.Single(row => row.Route == "/upload");
        (upload.Responses, upload.HistogramOf(RunFact.RequestBodyBytes)!.TotalCount, upload.SumOf(RunFact.RequestBodyBytes)).Should().Be((4, 2, 8_000));
        app.Routes.All.Single(row => row.Route == "/plain").HistogramOf(RunFact.RequestBodyBytes)!.TotalCount.Should().Be(0);
    }
}
