using System.Diagnostics;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the traces of the slowest requests. Runs alone, because a tracer affects the whole process.</summary>
[Collection(Alone.Name)]
public class ExemplarTests
{
    private const string OpenMetrics = "application/openmetrics-text; version=1.0.0";

    [Fact]
    public async Task The_page_the_JSON_and_the_exposition_have_the_trace_IDs_of_the_logs()
    {
        await using RequestApp app = await StartAsync(collect: true);
        (await app.SendAsync("/limited", "/orders/1", "/fails")).Should().Equal(429, 200, 500);
        await app.GetCountsAsync(2);
        HashSet<string> started = [.. _traceIds.Skip(1)]; // without the rejected request

        JsonElement[] slowest = await SlowestAsync(app);
        string page = await app.Client.GetStringAsync("/picollo");
        string[] lines = await MetricsAsync(app);

        started.Should().HaveCount(2);
        slowest.Select(one => one.GetProperty("traceId").GetString()).Should().BeEquivalentTo(started);
        slowest.Select(one => (one.GetProperty("method").GetString(), one.GetProperty("route").GetString(), one.GetProperty("statusCode").GetInt32()))
            .Should().BeEquivalentTo([("GET", "/orders/{id}", 200), ("GET", "/fails", 500)]);
        slowest.Should().OnlyContain(one => one.GetProperty("wallSeconds").GetDouble() > 0 && one.GetProperty("cpuSeconds").GetDouble() > 0
            && one.GetProperty("spanId").GetString()!.Length == 16);
        foreach (string id in started)
        {
            page.Should().Contain($"<code>{id}</code>");
            foreach (string name in new[] { "http_server_request_duration_seconds", "picollo_http_server_request_cpu_time_seconds" })
            {
                lines.Should().ContainSingle(line => line.StartsWith(name + "_bucket") && line.Contains($"# {{trace_id=\"{id}\",")
                    && !line.Contains("\"} 0 "));
            }
        }
    }

    [Fact]
    public async Task By_default_no_traces_are_kept()
    {
        await using RequestApp app = await StartAsync(collect: false);
        await app.CountsAfterAsync("/orders/1");

        (await app.Client.GetStringAsync("/picollo/json")).Should().Contain("\"slowestRequests\":null");
        (await MetricsAsync(app)).Should().NotContain(line => line.Contains(" # {", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(ActivitySamplingResult.AllDataAndRecorded, 1)]
    [InlineData(ActivitySamplingResult.AllData, 0)]
    [InlineData(ActivitySamplingResult.None, 0)]
    public async Task With_a_tracer_only_sampled_requests_are_kept(ActivitySamplingResult result, int kept)
    {
        using ActivityListener tracer = new()
        {
            ShouldListenTo = source => source.Name == "Microsoft.AspNetCore",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => result,
        };
        ActivitySource.AddActivityListener(tracer);
        await using RequestApp app = await StartAsync(collect: true);
        await app.CountsAfterAsync("/orders/1");

        (await SlowestAsync(app)).Should().HaveCount(kept);
    }

    private readonly List<string> _traceIds = [];

    private Task<RequestApp> StartAsync(bool collect) => RequestApp.StartAsync(
        app =>
        {
            app.Use((context, next) =>
            {
                if (!context.Request.Path.StartsWithSegments("/picollo"))
                {
                    _traceIds.Add(Activity.Current!.TraceId.ToHexString()); // the ID that logs contain
                }

                return next(context);
            });
            app.MapPicollo().AllowAnonymous();
            app.MapGet("/orders/{id}", (int id) => Burn.Milliseconds(2 * id));
            app.MapGet("/fails", void () => throw new InvalidOperationException());
            app.MapGet("/limited", () => Results.StatusCode(StatusCodes.Status429TooManyRequests));
        },
        options => options.Requests.CollectExemplars = collect);

    private static async Task<JsonElement[]> SlowestAsync(RequestApp app)
    {
        using JsonDocument json = JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json"));
        return [.. json.RootElement.GetProperty("slowestRequests").EnumerateArray().Select(one => one.Clone())];
    }

    private static async Task<string[]> MetricsAsync(RequestApp app)
    {
        using HttpRequestMessage request = new(HttpMethod.Get, "/picollo/metrics");
        request.Headers.TryAddWithoutValidation("Accept", OpenMetrics);
        using HttpResponseMessage response = await app.Client.SendAsync(request);
        return (await response.Content.ReadAsStringAsync()).Split('\n');
    }
}
