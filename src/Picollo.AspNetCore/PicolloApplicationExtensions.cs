using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Workers;
using Picollo.Scheduling;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Extension methods that measure requests, map Picollo's page, and run CPU-heavy endpoints in a CPU worker pool.</summary>
public static class PicolloApplicationExtensions
{
    // One second is enough, because tasks take milliseconds.
    private const string RetryAfterSeconds = "1";

    // Marks endpoints that already run on workers.
    private static readonly object OnWorkerMetadata = new();

    /// <summary>
    /// Adds a middleware that measures the CPU time on all threads and the duration of each request that reaches it, by method and route
    /// pattern.
    /// </summary>
    /// <remarks>
    /// <para><b>Position.</b> The middleware measures what follows it in the pipeline, or in the branch (<c>Map</c>, <c>MapWhen</c>,
    /// <c>UseWhen</c>) on which it is called. Call it first to measure as much as possible. It does not see requests that are answered
    /// before they reach it: by earlier middleware such as static files, by host filtering, and, because a <c>WebApplication</c> routes
    /// before its first middleware, by endpoints with <c>ShortCircuit()</c>. Set <see cref="PicolloRequestOptions.MeasureAll"/> to measure
    /// all requests, including routing.</para>
    /// <para><b>Counting.</b> A request, including a stream or a WebSocket, is counted once, when it ends. If several of these middlewares
    /// see it, the outermost one counts it. If an error page (<c>UseExceptionHandler</c>, <c>UseStatusCodePagesWithReExecute</c>) is added
    /// before this middleware and runs the pipeline again, only the first run is counted, with status 500 after an exception.</para>
    /// <para><b>Time.</b> The CPU time is measured by a <see cref="Picollo.Cpu.CpuUsageAsyncWatcher"/>, from the moment the request reaches
    /// the middleware until the rest of the pipeline returns. It excludes the work of the server to read the request and to send the rest
    /// of the response. Totals include the CPU time of requests that are still running. Percentiles include a request when it ends. Work
    /// that outlives its request is counted separately for the route (<see cref="PicolloRequestOptions.MeasureAfterResponse"/>).</para>
    /// <para><b>Rows.</b> A request is counted for its method and route pattern. Methods that the endpoint does not declare share the
    /// method <c>_OTHER</c>, except for GET, POST and CONNECT. The pattern includes the literal prefix of the <c>Map</c> branch after this
    /// middleware in which the route was found, and, for conventional routes, the controller and the action. A request that an error page
    /// answers is counted for the route that it was sent to. A request without a route is counted as <c>(static files)</c>, <c>(no
    /// endpoint)</c> (answered by a middleware or by routing itself) or <c>(unhandled)</c> (not answered). Static files are recognized if
    /// <c>MapStaticAssets()</c> serves them, or <c>UseStaticFiles()</c> without an options argument. Paths are not recorded. Endpoints with
    /// <c>DisableHttpMetrics()</c> are not counted.</para>
    /// <para><b>Classes.</b> Requests are counted by the class of their status code, with these exceptions. A gRPC call has the class of
    /// its gRPC status: <c>5xx</c> for errors of the server, <c>aborted</c> if the client has canceled it, and <c>4xx</c> for other errors.
    /// A response that fails after its start, or that the application aborts or resets, has the class <c>5xx</c>. A request that fails
    /// because its client has disconnected has the class <c>aborted</c>.</para>
    /// <para><b>Metrics and log.</b> The meter <c>Picollo.AspNetCore</c> has the histogram <c>picollo.http.server.request.cpu.time</c> in
    /// seconds, with the tags <c>http.request.method</c>, <c>http.response.status_code</c>, <c>http.route</c> (if the request has a route),
    /// <c>rpc.response.status_code</c> (gRPC calls), <c>error.type</c> (if the request has failed with an error of the server, or after its
    /// response has started), and, with <see cref="Picollo.Cpu.CpuUsageDetail.UserAndKernel"/>, <c>cpu.mode</c> (<c>user</c> or
    /// <c>system</c>; two measurements for each request). The log category is <c>Picollo.AspNetCore.CpuUsage</c>. Event 1,
    /// <c>OverCpuBudget</c>, is a warning with <c>Method</c>, <c>Route</c>, <c>CpuMilliseconds</c>, <c>WallMilliseconds</c> and
    /// <c>StatusCode</c>. Event 4, <c>OverCpuBudgetWhileRunning</c>, has the same properties except the status. It is logged for a request
    /// that has not ended, and event 1 is then not logged for that request. Event 3, <c>RouteTableFull</c>, is logged once when further
    /// routes are counted as <c>(other)</c>. Event 2, <c>CpuTimeUnavailable</c>, is logged once if this machine does not report the CPU
    /// time of threads. Requests are then served without being measured. Exceptions that metric listeners and loggers throw when a request
    /// is reported are ignored. An exception that a listener throws when the instrument is published makes the start of the application
    /// fail.</para>
    /// <para><b>Cost.</b> A request that never waits costs two readings of the thread's CPU clock. Each wait costs two more. A request
    /// allocates four objects of 328 bytes in total, or five of 376 bytes in total if the host creates an activity (it does if any logger
    /// is enabled).</para>
    /// </remarks>
    /// <param name="app">The application, or a branch of it.</param>
    /// <returns><paramref name="app"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="app"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException"><c>AddPicollo()</c> was not called.</exception>
    public static IApplicationBuilder UsePicollo(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        return app.UsePicollo(app.ApplicationServices);
    }

    /// <summary>Adds the middleware with the services of another host.</summary>
    internal static IApplicationBuilder UsePicollo(this IApplicationBuilder app, IServiceProvider services)
    {
        RequestReporter reporter = services.GetService<RequestReporter>()
            ?? throw new InvalidOperationException(
                "UsePicollo() requires services that are not registered. Call builder.Services.AddPicollo().");
        PicolloOptions options = services.GetRequiredService<IOptions<PicolloOptions>>().Value;
        if (reporter.CanMeasure)
        {
            services.GetRequiredService<MeterBridge>().ExcludeServerDuration();
        }

        return app.Use(next => reporter.CanMeasure ? new CpuUsageMiddleware(next, reporter, options.Requests).Invoke : next);
    }

    /// <summary>Maps a live page that shows the CPU and wall time of requests by route and the registered histograms, and endpoints that
    /// return the same data for programs.</summary>
    /// <remarks>
    /// <para>The endpoints below <paramref name="pattern"/> are the page itself; <c>/events</c>, its updates each second; <c>/metrics</c>,
    /// all histograms in the Prometheus text format; <c>/json</c>, counts, rates and percentiles; and <c>/mark</c> and <c>/diff</c>, which
    /// the page uses to compare two moments. The server stores nothing, and no request changes its state, except that a POST to the page
    /// takes a CPU profile (<see cref="PicolloOptions.EnableProfiling"/>). Rates cover the time since the last reading, or up to ten
    /// seconds while a page is open. Nothing runs while there are no requests for the page.</para>
    /// <para>Unless <c>RequireAuthorization()</c> or <c>AllowAnonymous()</c> is called on the return value, or on a group that contains it,
    /// the page answers only in the Development environment, and only requests from this machine: from a loopback address, for a local
    /// Host, and not sent by a proxy or by a page from another origin. All other requests get 404, and the reason for the first one is
    /// logged. In other environments, a warning at startup explains how to open the page.</para>
    /// <para>In addition, the client must run as the user that runs the application, which only Linux reports, or send the token
    /// (<see cref="PicolloOptions.PageToken"/>). The address with the token is logged at startup. Other local requests get 401. A proxy
    /// that the same user runs on this machine is not detected. Behind such a proxy, call <c>RequireAuthorization()</c>.</para>
    /// <para>With <c>AllowAnonymous()</c>, every client that reaches the page can read it. Combine it with
    /// <see cref="RequireLocalPort"/> to serve the page on a port that only trusted clients can reach.</para>
    /// <para>If <see cref="PicolloOptions.MaxPageViewers"/> pages are open, further requests for updates get 503. Requests for the page are
    /// not counted. Their CPU time is shown as a part of the CPU time of the process.</para>
    /// </remarks>
    /// <param name="endpoints">The application, or a group of endpoints.</param>
    /// <param name="pattern">The page's route.</param>
    /// <returns>A builder for the conventions of all these endpoints.</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException"><c>AddPicollo()</c> was not called.</exception>
    public static IEndpointConventionBuilder MapPicollo(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern = "/picollo")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        return endpoints.MapPicollo(pattern, endpoints.ServiceProvider);
    }

    /// <summary>Maps the page with the measurements of another host. Its access depends on the environment of this one.</summary>
    internal static IEndpointConventionBuilder MapPicollo(
        this IEndpointRouteBuilder endpoints, string pattern, IServiceProvider services)
    {
        PageEndpoints page = services.GetService<PageEndpoints>()
            ?? throw new InvalidOperationException(
                "MapPicollo() requires services that are not registered. Call builder.Services.AddPicollo().");
        PageAccess access = new(
            endpoints.ServiceProvider.GetRequiredService<IHostEnvironment>(),
            services.GetRequiredService<ClientUser>(),
            services.GetRequiredService<PageToken>(),
            services.GetRequiredService<ILoggerFactory>().CreateLogger("Picollo.AspNetCore.Page"));
        string[] get = [HttpMethods.Get, HttpMethods.Head];

        // Complete patterns instead of a group prefix, which would map the page itself to /picollo/.
        RouteGroupBuilder group = endpoints.MapGroup("").WithMetadata(access);
        string prefix = pattern.TrimEnd('/');
        Map("", page.PageMethods, page.AnswerPageAsync);
        Map("/events", get, page.AnswerEventsAsync).DisableHttpMetrics().WithMetadata(EndpointInfo.LongLivedMetadata);
        Map("/metrics", get, page.AnswerMetricsAsync);
        Map("/json", get, page.AnswerJsonAsync);
        Map("/mark", get, page.AnswerMarkAsync);
        Map("/diff", [HttpMethods.Post], page.AnswerDiffAsync);

        // At startup, because the caller and the groups around the page add their conventions after this call.
        services.GetRequiredService<IHostApplicationLifetime>().ApplicationStarted.Register(
            () => access.LogAtStart(services.GetRequiredService<EndpointDataSource>().Endpoints, services.GetService<IServer>()));
        return group;

        IEndpointConventionBuilder Map(string path, string[] methods, RequestDelegate handler) =>
            group.Map(prefix + path, access.Protect(path, methods, handler)).WithDisplayName($"Picollo {prefix}{path}");
    }

    /// <summary>Restricts the endpoint to one port of the server. Requests to other ports get 404, as for a route that does not
    /// exist.</summary>
    /// <remarks>
    /// <para>The method compares <see cref="ConnectionInfo.LocalPort"/>, the port on which the server accepted the connection.
    /// <c>RequireHost</c> does not protect a port, because it compares the Host header, which the client chooses. The server must also
    /// listen on the port (<c>--urls "http://*:8080;http://*:9464"</c>). In a container, this is the port inside the container.</para>
    /// <para>Applies to all kinds of endpoints and to groups. If the method is called several times, the last call takes effect. Requires
    /// <c>AddPicollo()</c>.</para>
    /// <example>
    /// <code>
    /// app.MapPicollo().RequireLocalPort(9464).AllowAnonymous();
    /// </code>
    /// </example>
    /// </remarks>
    /// <typeparam name="TBuilder">The type of the endpoint's builder.</typeparam>
    /// <param name="builder">The builder of one or more endpoints.</param>
    /// <param name="port">The port, 1 to 65,535.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is outside its range.</exception>
    /// <exception cref="InvalidOperationException"><c>AddPicollo()</c> was not called. Thrown when routing builds the
    /// endpoints, by default at the first request.</exception>
    public static TBuilder RequireLocalPort<TBuilder>(this TBuilder builder, int port)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentOutOfRangeException.ThrowIfLessThan(port, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(port, ushort.MaxValue);
        builder.Add(endpoint => endpoint.Metadata.Add(
            endpoint.ApplicationServices.GetServices<MatcherPolicy>().Any(policy => policy is LocalPortPolicy)
                ? new LocalPort(port)
                : throw new InvalidOperationException(
                    "RequireLocalPort() requires services that are not registered. Call builder.Services.AddPicollo().")));
        return builder;
    }

    /// <summary>Counts the endpoint's requests in a separate row. Use it for requests that last until the client disconnects or until the
    /// server has data to send, such as streams and long polls.</summary>
    /// <remarks>WebSockets, server-sent events, SignalR connections and gRPC methods that are not unary are recognized without this call.
    /// Applies to all kinds of endpoints and to groups.</remarks>
    /// <typeparam name="TBuilder">The type of the endpoint's builder.</typeparam>
    /// <param name="builder">The builder of one or more endpoints.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    public static TBuilder WithLongLivedRequests<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.WithMetadata(EndpointInfo.LongLivedMetadata);
    }

    /// <summary>
    /// Runs the endpoint in a <see cref="Picollo.Scheduling.CpuWorkerPool"/>, so that the rest of the application remains responsive under
    /// any number of such requests.
    /// </summary>
    /// <remarks>
    /// <para>The whole endpoint runs in the pool: its filters, the binding of its parameters, the handler and the writing of its result.
    /// Handlers call the checkpoints of <see cref="GetCpuTaskContext"/> as they proceed. Exceptions propagate as they
    /// do without the pool, and the request's CPU time includes its time on the workers.</para>
    /// <para><b>Do not block</b> on a task or on I/O (<c>Wait</c>, <c>Result</c>). Blocking works, but while other requests wait, each
    /// blocking call costs about 30 ms and a thread (see <see cref="Picollo.Scheduling.CpuWorkerPool"/>). The first one of each endpoint is
    /// logged. Some synchronous members of ASP.NET Core block while data is missing: <see cref="HttpRequest.Form"/> (use
    /// <c>ReadFormAsync</c> or bound parameters); synchronous reads and writes of <see cref="HttpRequest.Body"/> and
    /// <see cref="HttpResponse.Body"/>, which <c>AllowSynchronousIO</c> permits (use the asynchronous ones); and the members of
    /// <see cref="ISession"/> before <c>await session.LoadAsync()</c>, if the session store waits for asynchronous work.</para>
    /// <para>The application has one pool, which is created with <see cref="PicolloOptions.CpuWorkers"/> at the first request. A task is
    /// canceled when its request is aborted: immediately if it has not started, otherwise at its next checkpoint. If
    /// <see cref="PicolloOptions.CpuWorkerQueueLimit"/> requests are waiting, further requests are answered with 503 and <c>Retry-After:
    /// 1</c>. When the application stops, requests in the pool are completed, as long as the host waits.</para>
    /// <para>Applies to all kinds of endpoints: minimal APIs, groups and controllers. Calling it for a group and for an endpoint in the
    /// group has the same effect as one call.</para>
    /// </remarks>
    /// <typeparam name="TBuilder">The type of the endpoint's builder.</typeparam>
    /// <param name="builder">The builder of one or more endpoints.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException"><c>AddPicollo()</c> was not called. Thrown when routing builds the
    /// endpoints, by default at the first request.</exception>
    public static TBuilder RequireCpuWorker<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Finally(RunOnWorker);
        return builder;
    }

    /// <summary>Returns the request's task, which provides its checkpoints.</summary>
    /// <remarks>
    /// Call it in the handler of an endpoint with <c>RequireCpuWorker()</c>, or in code that the handler calls, until the handler returns.
    /// <example>
    /// <code>
    /// app.MapGet("/primes/{count:int}", async (int count, HttpContext context) =&gt;
    /// {
    ///     CpuTaskContext cpu = context.GetCpuTaskContext();
    ///     int found = 0;
    ///     for (int n = 2; found &lt; count; n++)
    ///     {
    ///         found += IsPrime(n) ? 1 : 0;
    ///         await cpu.CheckpointAsync();
    ///     }
    ///
    ///     return found;
    /// }).RequireCpuWorker();
    /// </code>
    /// </example>
    /// </remarks>
    /// <param name="context">The request's context.</param>
    /// <returns>The task. Its checkpoints throw <see cref="OperationCanceledException"/> after the request is aborted.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="context"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException">The request's endpoint does not have <c>RequireCpuWorker()</c>.</exception>
    public static CpuTaskContext GetCpuTaskContext(this HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.Features.Get<StrongBox<CpuTaskContext>>() is { } task
            ? task.Value
            : throw new InvalidOperationException("The request does not run on a CPU worker. Call RequireCpuWorker() on its endpoint.");
    }

    private static void RunOnWorker(EndpointBuilder endpoint)
    {
        if (endpoint.RequestDelegate is not { } handler || endpoint.Metadata.Contains(OnWorkerMetadata))
        {
            return;
        }

        CpuWorkers workers = endpoint.ApplicationServices.GetService<CpuWorkers>()
            ?? throw new InvalidOperationException(
                "RequireCpuWorker() requires services that are not registered. Call builder.Services.AddPicollo().");
        CpuTaskOptions options = new() { Name = endpoint.DisplayName is { Length: > 0 } name ? name : nameof(RequireCpuWorker) };
        endpoint.Metadata.Add(OnWorkerMetadata);
        endpoint.RequestDelegate = context => workers.TryRun(context, handler, options) ?? Refuse(context);
    }

    private static Task Refuse(HttpContext context)
    {
        RequestRun.MarkRejected(context);
        context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return Task.CompletedTask;
    }
}
