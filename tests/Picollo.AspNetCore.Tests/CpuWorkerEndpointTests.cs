using System.Net.Sockets;
using Microsoft.AspNetCore.Mvc;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.AspNetCore.Workers;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Tests;

/// <summary>Tests endpoints that run in the pool, on a real server.</summary>
public sealed class CpuWorkerEndpointTests : IDisposable
{
    private readonly SemaphoreSlim _started = new(0);
    private readonly ManualResetEventSlim _mayEnd = new();

    public void Dispose()
    {
        _mayEnd.Set();
        _started.Dispose();
        _mayEnd.Dispose();
    }

    [Fact]
    public async Task Endpoints_of_all_kinds_run_on_workers_and_others_do_not()
    {
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapGet("/minimal/{id:int}", (int id) => $"{id} {OnWorker()}").RequireCpuWorker();
            web.MapGroup("/group").RequireCpuWorker().MapGet("/in", async (HttpContext context) =>
            {
                string before = OnWorker();
                await Task.Delay(5);
                await context.GetCpuTaskContext().CheckpointAsync();
                return $"{before} {OnWorker()}";
            }).RequireCpuWorker();
            web.Map("/delegate", (HttpContext context) => context.Response.WriteAsync(OnWorker())).RequireCpuWorker();
            web.MapControllers().RequireCpuWorker();
            web.MapGet("/free", () => OnWorker());
        });
        (await app.Client.GetStringAsync("/minimal/7")).Should().Be("7 worker");
        (await app.Client.GetStringAsync("/group/in")).Should().Be("worker worker");
        (await app.Client.GetStringAsync("/delegate")).Should().Be("worker");
        (await app.Client.GetStringAsync("/controller/action")).Should().Be("worker");
        (await app.Client.GetStringAsync("/free")).Should().Be("other");

        PoolOf(app).Statistics.SubmittedCount.Should().Be(4, "an endpoint in a group is one task");
    }

    [Fact]
    public async Task The_pool_is_created_at_the_first_request_with_its_options()
    {
        await using RequestApp app = await StartAsync(
            web =>
            {
                web.MapGet("/cpu", () => "cpu").RequireCpuWorker();
                web.MapGet("/free", () => "free");
                web.MapGet("/own", (CpuWorkerPool pool) => pool.RunAsync(_ => Thread.CurrentThread.Name));
            },
            options => (options.CpuWorkers.WorkerCount, options.CpuWorkers.Name) = (3, "of the test"));
        await app.Client.GetStringAsync("/free");
        app.Services.GetRequiredService<CpuWorkers>().IsStarted.Should().BeFalse();
        await app.Client.GetStringAsync("/cpu");

        (PoolOf(app).Name, PoolOf(app).WorkerCount).Should().Be(("of the test", 3));
        (await app.Client.GetStringAsync("/own")).Should().StartWith("of the test ", "it is a service");
    }

    [Fact]
    public async Task The_exposition_contains_requests_in_flight_and_the_tasks_of_the_workers()
    {
        await using RequestApp app = await StartAsync(
            web =>
            {
                web.MapPicollo().AllowAnonymous();
                web.MapGet("/cpu/{wait:bool}", (bool wait) =>
                {
                    if (wait)
                    {
                        _started.Release();
                        _mayEnd.Wait();
                    }
                }).RequireCpuWorker();
                web.MapGet("/fails", void () => throw new InvalidOperationException()).RequireCpuWorker();
            },
            options => options.CpuWorkers.WorkerCount = 3);
        (await app.Client.GetStringAsync("/picollo/metrics")).Should().NotContain("picollo_cpu_workers", "no request has started the pool");
        await app.Client.GetStringAsync("/cpu/false");
        (await app.Client.GetAsync("/fails")).StatusCode.Should().Be(HttpStatusCode.InternalServerError);
        Task running = app.Client.GetStringAsync("/cpu/true");
        await _started.WaitAsync();

        string[] during = (await app.Client.GetStringAsync("/picollo/metrics")).Split('\n');
        _mayEnd.Set();
        await running;
        await app.GetCountsAsync(3);
        string[] after = (await app.Client.GetStringAsync("/picollo/metrics")).Split('\n');

        const string InFlight = "http_server_active_requests{http_request_method=\"GET\",http_route=\"/cpu/{wait:bool}\"} ";
        during.Should().Contain([InFlight + 1, "picollo_cpu_workers 3", "picollo_cpu_workers_running_tasks 1", "picollo_cpu_workers_waiting_tasks 0", "picollo_cpu_workers_tasks_total{result=\"completed\"} 1", "picollo_cpu_workers_tasks_total{result=\"failed\"} 1", "picollo_cpu_workers_tasks_total{result=\"canceled\"} 0"]);
        after.Should().Contain([InFlight + 0, "picollo_cpu_workers_tasks_total{result=\"completed\"} 2"]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public async Task Requests_beyond_the_limit_are_refused_and_the_others_are_served(int limit)
    {
        await using RequestApp app = await StartAsync(MapBlocking, options => options.CpuWorkerQueueLimit = limit);
        Task<HttpResponseMessage> running = app.Client.GetAsync("/block");
        await _started.WaitAsync();
        List<Task<HttpResponseMessage>> waiting = [];
        for (int i = 0; i < limit; i++)
        {
            waiting.Add(app.Client.GetAsync("/block"));
            await Eventually.IsTrueAsync(() => PoolOf(app).Statistics.WaitingCount == waiting.Count);
        }

        HttpResponseMessage refused = await app.Client.GetAsync("/block");
        refused.StatusCode.Should().Be(HttpStatusCode.ServiceUnavailable);
        refused.Headers.RetryAfter!.Delta.Should().Be(TimeSpan.FromSeconds(1));
        _mayEnd.Set();
        (await Task.WhenAll([running, .. waiting])).Should().OnlyContain(response => response.StatusCode == HttpStatusCode.OK);
        (await app.Client.GetAsync("/block")).StatusCode.Should().Be(HttpStatusCode.OK);
        await app.GetCountsAsync(limit + 2); // without the refused request
        RouteRow route = app.Routes.All.Single();
        (route.Rejected, route[ResponseClass.ServerError]).Should().Be((1, 1));
    }

    [Fact]
    public async Task An_aborted_request_leaves_the_queue()
    {
        await using RequestApp app = await StartAsync(MapBlocking, options => options.CpuWorkerQueueLimit = 1);
        Task<HttpResponseMessage> running = app.Client.GetAsync("/block");
        await _started.WaitAsync();
        using CancellationTokenSource abort = new();
        Task<HttpResponseMessage> waiting = app.Client.GetAsync("/block", abort.Token);
        await Eventually.IsTrueAsync(() => PoolOf(app).Statistics.WaitingCount == 1);
        await abort.CancelAsync();
        await Eventually.IsTrueAsync(() => PoolOf(app).Statistics.WaitingCount == 0);

        PoolOf(app).Statistics.CanceledCount.Should().Be(1);
        Task<HttpResponseMessage> next = app.Client.GetAsync("/block");
        _mayEnd.Set();
        (await Task.WhenAll(running, next)).Should().OnlyContain(response => response.StatusCode == HttpStatusCode.OK);
        await waiting.Invoking(aborted => aborted).Should().ThrowAsync<OperationCanceledException>();
        (await app.GetCountsAsync(3)).Should().Equal(("GET", "/block", 3));
    }

    [Fact]
    public async Task Exceptions_reach_the_exception_handler_unchanged()
    {
        ConcurrentQueue<Exception?> handled = new();
        await using RequestApp app = await StartAsync(web =>
        {
            web.UseExceptionHandler(error => error.Run(context =>
            {
                handled.Enqueue(context.Features.Get<Microsoft.AspNetCore.Diagnostics.IExceptionHandlerFeature>()?.Error);
                return context.Response.WriteAsync("handled");
            }));
            web.MapGet("/now", string () => throw new InvalidTimeZoneException("now")).RequireCpuWorker();
            web.MapGet("/later", async Task<string> () =>
            {
                await Task.Yield();
                throw new InvalidTimeZoneException("later");
            }).RequireCpuWorker();
        });
        await app.CountsAfterAsync("/now", "/later");

        handled.Should().AllBeOfType<InvalidTimeZoneException>();
        handled.Select(exception => exception!.Message).Should().Equal("now", "later");
    }

    [Fact]
    public async Task Requests_in_the_pool_are_served_when_the_application_stops()
    {
        await using RequestApp app = await StartAsync(MapBlocking);
        Task<HttpResponseMessage> running = app.Client.GetAsync("/block");
        await _started.WaitAsync();
        Task<HttpResponseMessage> waiting = app.Client.GetAsync("/block");
        await Eventually.IsTrueAsync(() => PoolOf(app).Statistics.WaitingCount == 1);
        Task stopped = app.StopAsync();
        _mayEnd.Set();

        (await Task.WhenAll(running, waiting)).Should().OnlyContain(response => response.StatusCode == HttpStatusCode.OK);
        await stopped;
        await PoolOf(app).Invoking(pool => pool.RunAsync(_ => { })).Should().ThrowAsync<ObjectDisposedException>("the pool is drained");
    }

    [Fact]
    public async Task A_server_that_stops_after_the_pool_refuses_requests()
    {
        await using RequestApp app = await StartAsync(web => web.MapGet("/cpu", () => "cpu").RequireCpuWorker());
        await app.Client.GetStringAsync("/cpu");
        await app.Services.GetRequiredService<CpuWorkers>().StopAsync(CancellationToken.None);

        (await app.Client.GetAsync("/cpu")).StatusCode.Should().Be(HttpStatusCode.ServiceUnavailable);
    }

    [Fact]
    public async Task Disposal_without_a_stop_cancels_the_tasks_in_the_pool()
    {
        await using RequestApp app = await StartAsync(web => web.MapGet("/cpu", () => "cpu").RequireCpuWorker());
        await app.Client.GetStringAsync("/cpu");
        CpuWorkerPool pool = PoolOf(app);
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Task left = pool.RunAsync(async cpu =>
        {
            started.SetResult();
            while (true)
            {
                await cpu.CheckpointAsync();
            }
        });
        await started.Task;

        app.Services.GetRequiredService<CpuWorkers>().Dispose();

        await left.Awaiting(task => task.WaitAsync(TimeSpan.FromSeconds(30))).Should().ThrowAsync<OperationCanceledException>();
        await pool.Invoking(one => one.RunAsync(_ => { })).Should().ThrowAsync<ObjectDisposedException>();
    }

    /// <summary><see cref="HttpRequest.Form"/> and synchronous reads of the body block until it arrives. Without extra threads, one worker could
    /// not serve other requests meanwhile, and the continuation of the read would wait for the blocked worker.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Trait("Category", "Slow")]
    public async Task An_endpoint_that_blocks_on_a_read_of_its_request_does_not_block_other_requests(bool isForm)
    {
        TaskCompletionSource isReading = new();
        int blockedTimes = 0;
        LogSink log = new();
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapPost("/block", (HttpContext context) =>
                {
                    isReading.SetResult();
                    if (isForm)
                    {
                        return context.Request.Form["a"].ToString();
                    }

                    using StreamReader body = new(context.Request.Body);
                    return body.ReadToEndAsync().Result;
                }).RequireCpuWorker();
                web.MapGet("/other", () => "served").RequireCpuWorker();
            },
            picollo => picollo.CpuWorkers.WorkerCount = 1,
            builder => builder.Logging.AddProvider(log));
        app.Services.GetRequiredService<CpuWorkers>().Pool.WorkerBlocked += (_, _) => Interlocked.Increment(ref blockedTimes);

        for (int round = 1; round <= 2; round++)
        {
            isReading = new(TaskCreationOptions.RunContinuationsAsynchronously);
            using TcpClient client = new();
            await client.ConnectAsync(IPAddress.Loopback, app.Address.Port);
            await client.GetStream().WriteAsync(
                "POST /block HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"u8
                    .ToArray());
            await isReading.Task;
            (await app.Client.GetStringAsync("/other")).Should().Be("served");
            await client.GetStream().WriteAsync("a=b"u8.ToArray());

            using StreamReader response = new(client.GetStream());
            (await response.ReadLineAsync()).Should().Be("HTTP/1.1 200 OK");
            await Eventually.IsTrueAsync(() => Volatile.Read(ref blockedTimes) == round);
        }

        log.Of("Picollo.AspNetCore.Workers").Should().ContainSingle().Which.Text.Should().StartWith("HTTP: POST /block blocks its CPU worker");
    }

    [Fact]
    public async Task An_endpoint_in_the_pool_can_dispose_the_services()
    {
        await using RequestApp app = await StartAsync(web => web.MapGet("/end", () => web.Services.GetRequiredService<CpuWorkers>().Dispose())
            .RequireCpuWorker());
        CpuWorkerPool pool = app.Services.GetRequiredService<CpuWorkers>().Pool;

        _ = await app.Client.GetAsync("/end");

        Func<Task> untilClosed = async () =>
        {
            while (true)
            {
                await pool.RunAsync(_ => { }).WaitAsync(TimeSpan.FromSeconds(60));
            }
        };
        await untilClosed.Should().ThrowAsync<ObjectDisposedException>();
    }

    [Fact]
    public async Task An_endpoint_in_the_pool_can_stop_the_application()
    {
        Task stopped = Task.CompletedTask;
        await using RequestApp app = await StartAsync(web => web.MapGet("/stop", () => { stopped = web.StopAsync(); }).RequireCpuWorker());

        (await app.Client.GetAsync("/stop")).StatusCode.Should().Be(HttpStatusCode.OK);

        await stopped.WaitAsync(TimeSpan.FromSeconds(60));
    }

    [Fact]
    public async Task Missing_services_are_reported()
    {
        await using RequestApp app = await StartAsync(web => web.MapGet("/free", (HttpContext context) =>
            context.Invoking(request => request.GetCpuTaskContext()).Should().Throw<InvalidOperationException>().WithMessage("*RequireCpuWorker()*").And.Message.Length));
        (await app.SendAsync("/free")).Should().Equal(200);
        await app.StopAsync();
        app.Services.GetRequiredService<CpuWorkers>().IsStarted.Should().BeFalse("the stop does not create an unused pool");

        WebApplication bare = WebApplication.CreateSlimBuilder().Build();
        bare.MapGet("/x", () => "x").RequireCpuWorker();
        ((Microsoft.AspNetCore.Routing.IEndpointRouteBuilder)bare).DataSources.Single().Invoking(source => source.Endpoints)
            .Should().Throw<InvalidOperationException>().WithMessage("*AddPicollo()*");
    }

    private static string OnWorker() => SynchronizationContext.Current is null ? "other" : "worker";

    private static CpuWorkerPool PoolOf(RequestApp app) => app.Services.GetRequiredService<CpuWorkers>().Pool;

    private static Task<RequestApp> StartAsync(Action<WebApplication> map, Action<PicolloOptions>? options = null) => RequestApp.StartAsync(
        map,
        picollo =>
        {
            picollo.CpuWorkers.WorkerCount = 1;
            picollo.CpuWorkers.MaxExtraThreads = 0; // so that handlers can occupy the worker
            options?.Invoke(picollo);
        },
        builder => builder.Services.AddControllers().AddApplicationPart(typeof(CpuWorkerEndpointTests).Assembly));

    private void MapBlocking(WebApplication web) => web.MapGet("/block", () =>
    {
        _started.Release();
        _mayEnd.Wait();
    }).RequireCpuWorker();
}

/// <summary>A controller for <see cref="CpuWorkerEndpointTests"/>.</summary>
[ApiController]
public sealed class WorkerController : ControllerBase
{
    /// <summary>Returns the thread on which it runs.</summary>
    [HttpGet("/controller/action")]
    public ContentResult Action() => Content(SynchronizationContext.Current is null ? "other" : "worker");
}
