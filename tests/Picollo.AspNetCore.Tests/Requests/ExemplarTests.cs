using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the traces of the slowest requests. Runs alone, because a tracer affects the whole process.</summary>
[Collection(Alone.Name)]
public partial class ExemplarTests
{
    private const string OpenMetrics = "application/openmetrics-text; version=1.0.0";

    [Fact]
    public async Task The_page_the_JSON_and_the_exposition_have_the_trace_IDs_of_the_logs()
    {
        await using RequestApp app = await StartAsync(collect: true);
        await app.Client.GetStringAsync("/orders/1");
        (await app.Client.GetAsync("/fails")).StatusCode.Should().Be(System.Net.HttpStatusCode.InternalServerError);
        await app.GetCountsAsync(2);
        HashSet<string> started = [.. _traceIds];

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
            lines.Count(line => line.StartsWith("http_server_request_duration_seconds_bucket", StringComparison.Ordinal) && line.Contains($"# {{trace_id=\"{id}\",", StringComparison.Ordinal))
                .Should().Be(1);
            lines.Count(line => line.StartsWith("picollo_http_server_request_cpu_time_seconds_bucket", StringComparison.Ordinal) && line.Contains($"# {{trace_id=\"{id}\",", StringComparison.Ordinal))
                .Should().Be(1);
        }

        // Each exemplar is in the bucket that counted its value.
        foreach (Match match in lines.Select(line => Exemplar().Match(line)).Where(match => match.Success))
        {
            double bound = match.Groups[1].Value == "+Inf" ? double.PositiveInfinity : Number(match.Groups[1].Value);
            Number(match.Groups[3].Value).Should().BeLessThanOrEqualTo(bound);
            Number(match.Groups[2].Value).Should().BePositive();
        }
    }

    [Fact]
    public async Task By_default_no_traces_are_kept()
    {
        await using RequestApp app = await StartAsync(collect: false);
        await app.Client.GetStringAsync("/orders/1");
        await app.GetCountsAsync(1);

        using JsonDocument json = JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json"));
        json.RootElement.GetProperty("slowestRequests").ValueKind.Should().Be(JsonValueKind.Null);
        (await app.Client.GetStringAsync("/picollo")).Should().NotContain("Slowest requests");
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
        await app.Client.GetStringAsync("/orders/1");
        await app.GetCountsAsync(1);

        (await SlowestAsync(app)).Should().HaveCount(kept);
    }

    [Fact]
    public async Task Rejected_requests_are_not_kept()
    {
        await using RequestApp app = await StartAsync(collect: true);
        await app.Client.GetAsync("/limited");
        await app.Client.GetStringAsync("/orders/1");
        await app.GetCountsAsync(1);

        (await SlowestAsync(app)).Select(one => one.GetProperty("route").GetString()).Should().Equal("/orders/{id}");
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

    private static double Number(string text) => double.Parse(text, System.Globalization.CultureInfo.InvariantCulture);

    [GeneratedRegex("""le="([^"]+)"} (\d+) # {trace_id="[0-9a-f]{32}",span_id="[0-9a-f]{16}"} (\S+) \d+\.\d{3}$""")]
    private static partial Regex Exemplar();
}
