using System.Net.Sockets;
using Microsoft.AspNetCore.RateLimiting;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that responses are counted by class, and that percentiles exclude rejected requests.</summary>
public class ResponseTests
{
    [Fact]
    public async Task Durations_have_the_name_and_labels_of_the_semantic_conventions_and_a_limited_number_of_status_codes()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/status/{code}", (int code) => Results.StatusCode(code));
        });
        await app.CountsAfterAsync([.. Enumerable.Range(0, 20).Select(i => $"/status/{200 + (i / 2)}")]);
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
                web.MapGet("/limited", () => "limited").RequireRateLimiting("one");
            },
            build: builder => builder.Services.AddRateLimiter(limiter =>
            {
                limiter.RejectionStatusCode = 429;
                limiter.AddFixedWindowLimiter("one", window => (window.PermitLimit, window.Window) = (1, TimeSpan.FromHours(1)));
            }));
        await app.SendAsync("/limited", "/limited", "/limited");
        await app.GetCountsAsync(1);
        RouteRow route = app.Routes.All.Single();
        await Eventually.IsTrueAsync(() => route.Rejected == 2);

        (route.Rejected, route.HistogramOf(RunFact.CpuTime)!.TotalCount, route.HistogramOf(RunFact.WallTime)!.TotalCount).Should().Be((2, 1, 1));
        route.TotalCpuNanoseconds.Should().BeGreaterThan(route.SumOf(RunFact.CpuTime), "rejecting also takes CPU time");
        Of(app, "/limited").Should().Equal(0, 1, 0, 2, 0, 0);
    }

    private static long[] Of(RequestApp app, string route)
    {
        RouteRow usage = app.Routes.All.Single(one => one.Route == route);
        return [.. Enum.GetValues<ResponseClass>().Select(response => usage[response])];
    }
}
