using System.Net;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Picollo.AspNetCore.Measuring;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that each request is counted once for its route, regardless of how it ends.</summary>
public class CpuUsageCountingTests
{
    [Fact]
    public async Task Requests_are_counted_by_pattern_and_method()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapGet("/plain", () => "hello");
            web.MapGet("/items/{id:int}", async (int id) =>
            {
                await Task.Delay(1);
                return id;
            });
            web.MapGroup("/group").MapPost("/{name}", (string name) => name);
            web.MapFallback("/files/{*path}", () => "file");
        });
        (await app.Client.GetStringAsync("/plain")).Should().Be("hello");
        await app.Client.GetStringAsync("/items/1");
        await app.Client.GetStringAsync("/items/2");
        await app.Client.PostAsync("/group/x", null);
        await app.Client.PutAsync("/files/secret", null);

        (await app.GetCountsAsync(5)).Should().Equal(
            ("_OTHER", "/files/{*path}", 1), ("POST", "/group/{name}", 1), ("GET", "/items/{id:int}", 2), ("GET", "/plain", 1));
    }

    [Fact]
    public async Task An_empty_pattern_is_the_root()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapGet("", () => "root");
            web.MapPost("/", () => "root");
        });
        await app.Client.GetStringAsync("/");
        await app.Client.PostAsync("/", null);

        (await app.GetCountsAsync(2)).Should().Equal(("GET", "/", 1), ("POST", "/", 1));
    }

    [Fact]
    public async Task Requests_without_a_route_and_with_unknown_methods_have_fixed_names()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapMethods("/any", ["BREW", "GET"], () => "any"));
        (await app.Client.GetAsync("/missing/secret")).StatusCode.Should().Be(HttpStatusCode.NotFound);
        (await app.Client.DeleteAsync("/any")).StatusCode.Should().Be(HttpStatusCode.MethodNotAllowed);
        await app.Client.SendAsync(new HttpRequestMessage(new HttpMethod("BREW"), "/any"));
        await app.Client.SendAsync(new HttpRequestMessage(new HttpMethod("FROB"), "/missing"));

        (await app.GetCountsAsync(4)).Should().BeEquivalentTo(
            [("_OTHER", "(no endpoint)", 1UL), ("GET", "(unhandled)", 1UL), ("_OTHER", "(unhandled)", 1UL), ("_OTHER", "/any", 1UL)]);
    }

    [Fact]
    public async Task A_request_that_fails_before_routing_is_not_counted_for_the_error_page()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.UseExceptionHandler("/error");
            web.Use((context, next) => context.Request.Path == "/fails" ? throw new InvalidOperationException("fails") : next(context));
            web.MapGet("/error", () => "error");
        });
        (await (await app.Client.GetAsync("/fails")).Content.ReadAsStringAsync()).Should().Be("error");

        (await app.GetCountsAsync(1)).Should().Equal(("GET", "(no endpoint)", 1));
    }

    [Fact]
    public async Task A_request_with_an_unhandled_exception_is_counted_once_and_the_exception_propagates()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.Use((context, next) => context.Request.Path == "/thrown" ? throw new InvalidOperationException("thrown") : next(context));
            web.Use((context, next) => context.Request.Path == "/faulted" ? Task.FromException(new InvalidOperationException("faulted")) : next(context));
            web.MapGet("/later", async Task<string> () =>
            {
                await Task.Delay(1);
                throw new InvalidOperationException("later");
            });
        }, build: builder => builder.Environment.EnvironmentName = "Production");
        foreach (string path in new[] { "/thrown", "/faulted", "/later" })
        {
            (await app.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.InternalServerError);
        }

        (await app.GetCountsAsync(3)).Should().Equal(("GET", "(no endpoint)", 2), ("GET", "/later", 1));
        app.Log.Of("Microsoft.AspNetCore.Server.Kestrel").Count(line => line.Event.Name == "ApplicationError").Should().Be(3);
    }

    [Fact]
    public async Task A_stream_is_counted_once_at_its_end()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/stream", async (HttpContext context) =>
        {
            for (int i = 0; i < 5; i++)
            {
                Burn.Milliseconds(4);
                await context.Response.WriteAsync("part");
                await context.Response.Body.FlushAsync();
                await Task.Delay(5);
            }
        }));
        (await app.Client.GetStringAsync("/stream")).Should().HaveLength(20);

        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/stream", 1));
        app.Routes.All.Single().HistogramOf(RunFact.CpuTime)!.GetPercentileValue(100).Should().BeGreaterThan(19_500_000);
        app.Routes.All.Single().HistogramOf(RunFact.WallTime)!.GetPercentileValue(100).Should().BeGreaterThan(39_000_000);
    }

    [Fact]
    public async Task A_WebSocket_is_counted_once_with_all_its_CPU_time()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.UseWebSockets();
            web.Map("/socket", async (HttpContext context) =>
            {
                using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
                byte[] buffer = new byte[16];
                while ((await socket.ReceiveAsync(buffer, CancellationToken.None)).MessageType != WebSocketMessageType.Close)
                {
                    Burn.Milliseconds(5);
                    await socket.SendAsync(buffer, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None);
                }

                await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
            });
        });
        using ClientWebSocket client = new();
        await client.ConnectAsync(new Uri($"ws://{app.Address.Authority}/socket"), CancellationToken.None);
        byte[] answer = new byte[16];
        for (int i = 0; i < 4; i++)
        {
            await client.SendAsync(new byte[1], WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None);
            await client.ReceiveAsync(answer, CancellationToken.None);
        }

        app.Routes.All.Should().BeEmpty("the request has not ended");
        await client.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);

        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/socket (long-lived)", 1));
        app.Routes.All.Single().HistogramOf(RunFact.CpuTime)!.GetPercentileValue(100).Should().BeGreaterThan(19_500_000);
    }

    [Fact]
    public async Task Requests_on_one_HTTP_2_connection_are_measured_separately()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/burn/{milliseconds:int}", async (int milliseconds) =>
            {
                Burn.Milliseconds(milliseconds / 2);
                await Task.Delay(20);
                Burn.Milliseconds(milliseconds / 2);
            }),
            protocols: HttpProtocols.Http2,
            options: options => options.Requests.AddServerTiming = true);
        app.Client.DefaultRequestVersion = HttpVersion.Version20;
        app.Client.DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        await app.Client.GetStringAsync("/burn/2");
        HttpResponseMessage[] responses = await Task.WhenAll(Enumerable.Range(0, 10).Select(i => app.Client.GetAsync($"/burn/{(i % 2 == 0 ? 2 : 20)}")));

        responses.Should().OnlyContain(response => response.Version == HttpVersion.Version20);
        double[] cpu = [.. responses.Select(response => ServerTiming.Of(response).Cpu)];
        for (int i = 0; i < cpu.Length; i++)
        {
            cpu[i].Should().BeGreaterThan(i % 2 == 0 ? 1.9 : 19.9);
        }

        cpu.Where((_, i) => i % 2 == 0).Min().Should().BeLessThan(15, "it would include the 20 ms of another request");
        (await app.GetCountsAsync(11)).Should().Equal(("GET", "/burn/{milliseconds:int}", 11));
    }

    [Fact]
    public async Task A_request_that_the_client_aborts_is_counted_once()
    {
        using SemaphoreSlim started = new(0);
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapGet("/wait", async (HttpContext context) =>
            {
                started.Release();
                await Task.Delay(Timeout.Infinite, context.RequestAborted);
            });
            web.MapGet("/stream", async (HttpContext context) =>
            {
                byte[] block = new byte[1 << 16];
                while (true)
                {
                    await context.Response.Body.WriteAsync(block, context.RequestAborted);
                    started.Release();
                }
            });
        });
        foreach (string path in new[] { "/wait", "/stream" })
        {
            using CancellationTokenSource abort = new();
            Task<HttpResponseMessage> request = app.Client.GetAsync(path, HttpCompletionOption.ResponseHeadersRead, abort.Token);
            await started.WaitAsync();
            if (path == "/wait")
            {
                await abort.CancelAsync();
                await request.Invoking(aborted => aborted).Should().ThrowAsync<OperationCanceledException>();
            }
            else
            {
                (await request).Dispose();
            }
        }

        (await app.GetCountsAsync(2)).Should().Equal(("GET", "/stream", 1), ("GET", "/wait", 1));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Ten_thousand_hostile_paths_create_few_routes()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapGet("/item/{id}", (string id) => id.Length);
                for (int i = 0; i < 20; i++)
                {
                    web.MapGet($"/route{i}", () => "route");
                }
            },
            options => options.Requests.MaxRoutes = 12);
        const int Requests = 10_000;
        await Parallel.ForEachAsync(Enumerable.Range(0, Requests), new ParallelOptions { MaxDegreeOfParallelism = 4 }, async (i, cancellation) =>
        {
            using HttpResponseMessage response = await app.Client.SendAsync(Hostile(app.Address, i), cancellation);
            ((int)response.StatusCode).Should().BeOneOf(200, 404, 405);
        });

        await app.GetCountsAsync(Requests);
        app.Routes.All.Should().HaveCountLessThanOrEqualTo(13);
        app.Routes.All.Select(usage => usage.Route).Should().OnlyContain(route => route.StartsWith("/route") || route == "/item/{id}" || route.StartsWith('('));

        // Each route takes 10 KB per thread, and concurrent tests add threads. The limit is 16 MB. With a route for each path, one thread would take 160 MB.
        app.Routes.All.Sum(usage => usage.HistogramOf(RunFact.CpuTime)!.FootprintInBytes + usage.HistogramOf(RunFact.WallTime)!.FootprintInBytes).Should().BeLessThan(13 * 2 * 64 * 10_000);
    }

    private static HttpRequestMessage Hostile(Uri server, int i)
    {
        string[] texts = ["<script>", "%22%7D%0A", "..%2F..%2F", "%F0%9F%98%80", new('x', 1000), "{id}", "%0D%0A", "\\\"'"];
        string path = (i % 3) switch { 0 => $"/item/{i}{texts[i % 8]}", 1 => $"/{texts[i % 8]}{i}", _ => $"/route{i % 20}" };

        // The path is sent unchanged, because Uri would normalize it.
        Uri uri = new(server.GetLeftPart(UriPartial.Authority) + path, new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
        return new HttpRequestMessage(i % 7 == 0 ? new HttpMethod($"M{i}") : HttpMethod.Get, uri);
    }

    [Fact]
    public async Task Services_can_be_added_twice()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/x", () => "x"),
            build: builder => builder.Services.AddPicollo(options => options.Requests.MaxRoutes = 9).AddPicollo());
        await app.Client.GetStringAsync("/x");

        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/x", 1));
        app.Services.GetServices<IStartupFilter>().Count(filter => filter.GetType().Assembly == typeof(PicolloOptions).Assembly).Should().Be(1);
    }

    [Fact]
    public async Task Nothing_is_measured_without_middleware_and_option_and_missing_services_are_reported()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddPicollo();
        await using WebApplication app = builder.Build();
        app.MapGet("/x", () => "x");
        await app.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(app.Urls.Single()) };
        await client.GetStringAsync("/x");

        app.Services.GetRequiredService<RouteTable>().All.Should().BeEmpty();
        WebApplication bare = WebApplication.CreateSlimBuilder().Build();
        bare.Invoking(web => web.UsePicollo()).Should().Throw<InvalidOperationException>().WithMessage("*AddPicollo()*");
    }

    [Fact]
    public async Task Without_CPU_times_of_threads_requests_are_served_and_a_warning_is_logged_once()
    {
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.Services.GetRequiredService<RequestReporter>().Probe = static () => throw new MeasurementUnavailableException("refused in a test", MeasurementUnavailableCause.Unknown);
            web.UsePicollo();
            web.MapGet("/x", () => "x");
        });
        (await app.Client.GetStringAsync("/x")).Should().Be("x");
        (await app.Client.GetStringAsync("/x")).Should().Be("x");

        app.Routes.All.Should().BeEmpty();
        app.Log.Of("Picollo.AspNetCore.CpuUsage").Should().ContainSingle().Which.Should().Match<LogLine>(line =>
            line.Event.Id == 2 && line.Event.Name == "CpuTimeUnavailable" && line.Text.Contains("refused in a test"));
    }

    [Fact]
    public async Task A_logger_that_throws_at_startup_does_not_stop_the_application()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.Services.GetRequiredService<RequestReporter>().Probe = static () => throw new MeasurementUnavailableException("refused", MeasurementUnavailableCause.Unknown);
                web.MapGet("/x", () => "x");
            },
            build: builder => builder.Services.AddSingleton<ILoggerProvider>(new LogSink
            {
                OnLine = line =>
                {
                    if (line.Category == RequestReporter.LogCategory)
                    {
                        throw new InvalidOperationException("from a logger");
                    }
                },
            }));

        (await app.Client.GetStringAsync("/x")).Should().Be("x");
        app.Log.Of(RequestReporter.LogCategory).Should().ContainSingle();
    }

    [Fact]
    public async Task A_request_does_not_change_the_flow_of_its_caller()
    {
        await using ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider();
        ApplicationBuilder app = new(services);
        app.UsePicollo();
        TaskCompletionSource mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        app.Run(context => context.Request.Path == "/now" ? Task.CompletedTask : mayEnd.Task);
        RequestDelegate pipeline = app.Build();
        ExecutionContext before = ExecutionContext.Capture()!;
        await pipeline(new DefaultHttpContext { Request = { Path = "/now" } });
        ExecutionContext.Capture().Should().BeSameAs(before);
        Task later = pipeline(new DefaultHttpContext());
        ExecutionContext.Capture().Should().BeSameAs(before);
        using (ExecutionContext.SuppressFlow())
        {
            pipeline(new DefaultHttpContext { Request = { Path = "/now" } }).IsCompletedSuccessfully.Should().BeTrue();
        }

        mayEnd.SetResult();
        await later;
        services.GetRequiredService<RouteTable>().All.Should().ContainSingle().Which.HistogramOf(RunFact.CpuTime)!.TotalCount.Should().Be(2);
    }
}
