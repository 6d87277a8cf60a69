using Microsoft.AspNetCore.Hosting;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the response header, the log, and the split of user and kernel time.</summary>
public class RequestReportTests
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task Server_Timing_follows_the_values_of_the_application()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseExceptionHandler(error => error.Run(context => context.Response.WriteAsync("error")));
                web.Use((context, next) =>
                {
                    CultureInfo.CurrentCulture = Cultures.German; // the header has decimal points in any culture
                    context.Response.OnStarting(() =>
                    {
                        context.Response.Headers.Append("Server-Timing", "db;dur=1");
                        return Task.CompletedTask;
                    });
                    return next(context);
                });
                web.MapGet("/sync", () => { Burn.Milliseconds(12); });
                web.MapGet("/waits", async () =>
                {
                    Burn.Milliseconds(6);
                    await Task.Delay(30);
                    Burn.Milliseconds(6);
                });
                web.MapGet("/writes", async (HttpContext context) =>
                {
                    Burn.Milliseconds(12);
                    await context.Response.WriteAsync("writes");
                    Burn.Milliseconds(100);
                });
                web.MapGet("/fails", string () => throw new InvalidOperationException("fails"));
            },
            options => options.Requests.AddServerTiming = true);
        foreach (string path in new[] { "/sync", "/waits", "/writes", "/fails", "/missing" })
        {
            HttpResponseMessage response = await app.Client.GetAsync(path);
            response.Headers.GetValues("Server-Timing").Should().HaveCount(2).And.StartWith("db;dur=1");
            (double cpu, double total) = ServerTiming.Of(response);
            cpu.Should().BePositive();
            if (path is "/sync" or "/waits" or "/writes")
            {
                cpu.Should().BeGreaterThanOrEqualTo(12);
                total.Should().BeGreaterThanOrEqualTo(path == "/waits" ? 40 : 12);
            }
        }
    }

    [Fact]
    public async Task A_response_that_has_already_started_has_no_Server_Timing_and_continues()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/x", (HttpContext context) => context.Response.WriteAsync(" and ended")),
            options => options.Requests.AddServerTiming = true,
            builder => builder.Services.Insert(0, ServiceDescriptor.Singleton<IStartupFilter, ResponseStarter>()));
        HttpResponseMessage response = await app.Client.GetAsync("/x");

        (await response.Content.ReadAsStringAsync()).Should().Be("begun and ended");
        response.Headers.Contains("Server-Timing").Should().BeFalse();
        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/x", 1));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Only_requests_above_the_budget_are_logged()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapGet("/heavy/{id}", (string id) => Burn.Milliseconds(60));
                web.MapGet("/light", () => "light");
            },
            options => options.Requests.CpuBudget = TimeSpan.FromMilliseconds(50));
        (await app.Client.GetAsync("/light")).Headers.Contains("Server-Timing").Should().BeFalse("it is an option");
        await app.Client.SendAsync(new HttpRequestMessage(HttpMethod.Get, "/heavy/secret?password=1") { Headers = { { "X-Secret", "header" } } });
        await app.GetCountsAsync(2);
        await Eventually.IsTrueAsync(() => app.Log.Of(RequestReporter.LogCategory).Any());

        LogLine line = app.Log.Of("Picollo.AspNetCore.CpuUsage").Should().ContainSingle().Which;
        (line.Level, line.Event.Id, line.Event.Name).Should().Be((LogLevel.Warning, 1, "OverCpuBudget"));
        line.Values["CpuMilliseconds"].Should().BeOfType<double>().Which.Should().BeGreaterThanOrEqualTo(60);
        line.Values["WallMilliseconds"].Should().BeOfType<double>().Which.Should().BeGreaterThanOrEqualTo(60);
        line.Values.Keys.Should().BeEquivalentTo("Method", "Route", "CpuMilliseconds", "WallMilliseconds", "StatusCode", "{OriginalFormat}");
        line.Text.Should().MatchRegex(@"^GET /heavy/\{id\} took [0-9.]+ ms of CPU time in [0-9.]+ ms and ended with status 200$");
    }

    /// <summary>Starts each response before the rest of the pipeline.</summary>
    private sealed class ResponseStarter : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
        {
            app.Use(async (context, rest) =>
            {
                await context.Response.WriteAsync("begun");
                await rest(context);
            });
            next(app);
        };
    }

    [Theory]
    [InlineData(50_000_000, 0)]
    [InlineData(50_000_001, 1)]
    public void The_budget_applies_to_CPU_time_and_not_to_waiting(long cpuNanoseconds, int lines)
    {
        LogSink sink = new();
        using ServiceProvider services = new ServiceCollection()
            .AddLogging(logging => logging.AddProvider(sink))
            .AddPicollo(options => options.Requests.CpuBudget = TimeSpan.FromMilliseconds(50))
            .BuildServiceProvider();

        DefaultHttpContext context = new();
        RequestReporter reporter = services.GetRequiredService<RequestReporter>();
        RequestRun request = RequestRun.Start(context, BranchPrefixes.FromPipeline(_ => Task.CompletedTask), reporter)!;
        reporter.Report(context, request, reporter.Routes.Get("GET", "/"), new RunValues(cpuNanoseconds, 10_000_000_000, null), 0, default, null);

        sink.Of(RequestReporter.LogCategory).Should().HaveCount(lines);
    }
}
