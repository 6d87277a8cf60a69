using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Measuring;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that responses are counted by class, and that percentiles exclude rejected requests.</summary>
public class ResponseTests
{
    [Fact]
    public async Task Responses_are_counted_by_class()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.UsePicollo();
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/status/{code}", (int code) => Results.StatusCode(code));
            web.MapGet("/status/fails", string () => throw new InvalidOperationException("fails"));
        });
        foreach (string code in new[] { "200", "204", "304", "400", "404", "500" })
        {
            await app.Client.GetAsync($"/status/{code}");
        }

        await app.Client.GetAsync("/status/fails");
        await app.GetCountsAsync(7);

        Of(app, "/status/{code}").Should().Equal(0, 2, 1, 2, 1, 0);
        Of(app, "/status/fails").Should().Equal(0, 0, 0, 0, 1, 0);
        string exposition = await app.Client.GetStringAsync("/picollo/metrics");
        exposition.Should().Contain("# TYPE picollo_http_server_responses_total counter\n")
            .And.Contain("picollo_http_server_responses_total{http_request_method=\"GET\",http_route=\"/status/{code}\",response=\"2xx\"} 2\n")
            .And.Contain("picollo_http_server_responses_total{http_request_method=\"GET\",http_route=\"/status/{code}\",response=\"4xx\"} 2\n")
            .And.NotContain("response=\"1xx\"");
        (await app.Client.GetStringAsync("/picollo")).Should().Contain("7").And.Contain("<small> 2 4xx, 1 5xx</small>");
    }

    [Fact]
    public async Task Durations_have_the_name_and_labels_of_the_semantic_conventions_and_a_limited_number_of_status_codes()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/status/{code}", (int code) => Results.StatusCode(code));
        });
        for (int code = 200; code < 210; code++)
        {
            await app.Client.GetAsync($"/status/{code}");
            await app.Client.GetAsync($"/status/{code}");
        }

        await app.GetCountsAsync(20);
        RouteRow status = app.Routes.All.Single();
        string[] lines = (await app.Client.GetStringAsync("/picollo/metrics")).Split('\n');

        string[] counts = [.. lines.Where(line => line.StartsWith("http_server_request_duration_seconds_count", StringComparison.Ordinal))];
        counts.Should().Equal(Enumerable.Range(200, 8).Select(code => Line($"{code}", 2)).Append(Line("_OTHER", 4)));
        double sum = lines.Where(line => line.StartsWith("http_server_request_duration_seconds_sum", StringComparison.Ordinal)).Sum(ValueOf);
        sum.Should().BeApproximately(status.SumOf(RunFact.WallTime) / 1e9, 1e-9, "sums are exact");
        lines.Where(line => line.StartsWith("picollo_http_server_request_cpu_time_seconds_sum", StringComparison.Ordinal)).Sum(ValueOf)
            .Should().BeApproximately(status.SumOf(RunFact.CpuTime) / 1e9, 1e-9);

        static double ValueOf(string line) => double.Parse(line.Split(' ')[^1], CultureInfo.InvariantCulture);
        static string Line(string code, int count) =>
            $"http_server_request_duration_seconds_count{{http_request_method=\"GET\",http_response_status_code=\"{code}\","
            + $"http_route=\"/status/{{code}}\"}} {count}";
    }

    [Fact]
    public async Task Requests_of_disconnected_clients_have_their_own_class()
    {
        TaskCompletionSource arrived = new(), mayEnd = new();
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/slow", async (HttpContext context) =>
        {
            context.RequestAborted.Register(() => mayEnd.SetResult());
            arrived.SetResult();
            await mayEnd.Task;
        }));
        using CancellationTokenSource disconnect = new();
        Task<HttpResponseMessage> request = app.Client.GetAsync("/slow", disconnect.Token);
        await arrived.Task;
        await disconnect.CancelAsync();
        await FluentActions.Awaiting(() => request).Should().ThrowAsync<OperationCanceledException>();
        await app.GetCountsAsync(1);

        Of(app, "/slow").Should().Equal(0, 0, 0, 0, 0, 1);
    }

    [Fact]
    public async Task A_request_whose_client_disconnects_after_the_whole_response_is_not_aborted()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/last", async (HttpContext context) =>
        {
            TaskCompletionSource gone = new();
            using CancellationTokenRegistration registration = context.RequestAborted.Register(() => gone.SetResult());
            context.Response.ContentLength = 4;
            await context.Response.WriteAsync("last");
            await context.Response.Body.FlushAsync();
            await gone.Task;
        }));
        using (TcpClient client = new())
        {
            await client.ConnectAsync(IPAddress.Loopback, app.Address.Port);
            await client.GetStream().WriteAsync("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"u8.ToArray());
            using StreamReader reader = new(client.GetStream(), leaveOpen: true);
            for (string line = ""; line != "last"; line = (line + (char)reader.Read())[^Math.Min(line.Length + 1, 4)..])
            {
                // Waits for the body.
            }
        }

        await app.GetCountsAsync(1);
        Of(app, "/last").Should().Equal(0, 1, 0, 0, 0, 0);
    }

    [Fact]
    public async Task A_rate_limited_request_is_counted_but_excluded_from_the_percentiles()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseRateLimiter();
                web.MapPicollo().AllowAnonymous();
                web.MapGet("/limited", () => "limited").RequireRateLimiting("one");
            },
            build: builder => builder.Services.AddRateLimiter(limiter =>
            {
                limiter.RejectionStatusCode = 429;
                limiter.AddFixedWindowLimiter("one", window => (window.PermitLimit, window.Window) = (1, TimeSpan.FromHours(1)));
            }));
        for (int i = 0; i < 3; i++)
        {
            await app.Client.GetAsync("/limited");
        }

        await app.GetCountsAsync(1);
        RouteRow route = app.Routes.All.Single();
        for (int i = 0; i < 6000 && route.Rejected < 2; i++)
        {
            await Task.Delay(10);
        }

        (route.Rejected, route.HistogramOf(RunFact.CpuTime)!.TotalCount, route.HistogramOf(RunFact.WallTime)!.TotalCount).Should().Be((2, 1, 1));
        route.TotalCpuNanoseconds.Should().BeGreaterThan(route.SumOf(RunFact.CpuTime), "rejecting also takes CPU time");
        Of(app, "/limited").Should().Equal(0, 1, 0, 2, 0, 0);
        using JsonDocument json = JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json"));
        JsonElement row = json.RootElement.GetProperty("routes").EnumerateArray().Single(one => one.GetProperty("route").GetString() == "/limited");
        (row.GetProperty("count").GetInt32(), row.GetProperty("rejected").GetInt32(), row.GetProperty("cpuSeconds").GetProperty("count").GetInt32())
            .Should().Be((3, 2, 1));
        (await app.Client.GetStringAsync("/picollo/metrics")).Should()
            .Contain("picollo_http_server_rejected_requests_total{http_request_method=\"GET\",http_route=\"/limited\"} 2\n");
    }

    [Fact]
    public async Task A_request_without_a_worker_is_rejected()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/heavy", () => "heavy").RequireCpuWorker(),
            options => options.CpuWorkerQueueLimit = 0);
        using ManualResetEventSlim mayEnd = new();
        _ = app.Services.GetRequiredService<Picollo.AspNetCore.Workers.CpuWorkers>().Pool.RunAsync(_ => mayEnd.Wait());
        for (int i = 1; i < app.Services.GetRequiredService<Picollo.AspNetCore.Workers.CpuWorkers>().Pool.WorkerCount; i++)
        {
            _ = app.Services.GetRequiredService<Picollo.AspNetCore.Workers.CpuWorkers>().Pool.RunAsync(_ => mayEnd.Wait());
        }

        (await app.Client.GetAsync("/heavy")).StatusCode.Should().Be(HttpStatusCode.ServiceUnavailable);
        mayEnd.Set();
        for (int i = 0; i < 6000 && app.Routes.All.Count == 0; i++)
        {
            await Task.Delay(10);
        }

        RouteRow route = app.Routes.All.Single();
        (route.Rejected, route.HistogramOf(RunFact.CpuTime)!.TotalCount, route[ResponseClass.ServerError]).Should().Be((1, 0, 1));
    }

    private static long[] Of(RequestApp app, string route)
    {
        RouteRow usage = app.Routes.All.Single(one => one.Route == route);
        return [.. Enum.GetValues<ResponseClass>().Select(response => usage[response])];
    }
}
