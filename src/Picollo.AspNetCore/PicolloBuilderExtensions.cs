using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Requests;
using Picollo.AspNetCore.Workers;
using Picollo.Scheduling;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Measures requests, maps Picollo's page and runs CPU-heavy endpoints in the scheduler.</summary>
public static class PicolloBuilderExtensions
{
    // One second: tasks take milliseconds, so that a place is free soon.
    private const string RetryAfterSeconds = "1";

    // Metadata of endpoints that already run on workers.
    private static readonly object OnWorkerMetadata = new();

    /// <summary>
    /// Adds a middleware that measures each request that reaches it, by method and route pattern: the CPU time on all threads, and the
    /// duration.
    /// </summary>
    /// <remarks>
    /// <para><b>Position.</b> As any middleware, it covers what comes after it in the pipeline, or in the branch (<c>Map</c>,
    /// <c>MapWhen</c>, <c>UseWhen</c>) on which it is called: call it first to cover most. It does not see requests that are answered
    /// before they reach it: by earlier middleware such as static files, by host filtering, and, because a <c>WebApplication</c> routes
    /// before its first middleware, by endpoints with <c>ShortCircuit()</c>. Set <see cref="PicolloOptions.MeasureAllRequests"/> to measure
    /// all requests, routing included.</para>
    /// <para><b>Once.</b> A request counts once, at its end, streams and WebSockets too. If several of these middlewares see it, the
    /// outermost counts it. An error page (<c>UseExceptionHandler</c>, <c>UseStatusCodePagesWithReExecute</c>) that is
    /// added before this middleware and runs the pipeline again is not measured: the first run counts, with status 500 after an
    /// exception.</para>
    /// <para><b>Time.</b> The CPU time is that of <see cref="Picollo.Cpu.CpuUsageAsyncWatcher"/>, from the moment the request reaches the
    /// middleware until the rest of the pipeline has returned. It excludes the server's reading of the request and sending of what is left
    /// of the response. Totals have the CPU time of requests that still run, and percentiles have a request when it ends. Work that
    /// outlives its request counts separately for the route (<see cref="PicolloOptions.MeasureAfterResponse"/>).</para>
    /// <para><b>Rows.</b> A request counts for its method and the pattern of its route, with the literal prefix of the <c>Map</c> branch
    /// after this middleware in which the route was found, and with controller and action in conventional routes. A request that an error
    /// page answers counts for the route it came for. Without a route, a request counts for <c>(static files)</c>,
    /// <c>(no endpoint)</c> (a middleware, or routing itself, has answered) or <c>(unhandled)</c> (nothing has). Static files are
    /// recognised as endpoints of <c>MapStaticAssets()</c>, and where <c>UseStaticFiles()</c> has no options of its own. Paths are not
    /// recorded. Endpoints with <c>DisableHttpMetrics()</c> are not counted.</para>
    /// <para><b>Metrics and log.</b> The meter <c>Picollo.AspNetCore</c> has the histogram <c>picollo.http.server.request.cpu.time</c> in
    /// seconds, with the tags <c>http.request.method</c>, <c>http.response.status_code</c>, <c>http.route</c> if there was one, and, with
    /// <see cref="Picollo.Cpu.CpuUsageDetail.UserAndKernel"/>, <c>cpu.mode</c> (<c>user</c> or <c>system</c>; two measurements for each
    /// request). The log category is <c>Picollo.AspNetCore.CpuUsage</c>. Event 1, <c>OverCpuBudget</c>, is a warning with <c>Method</c>,
    /// <c>Route</c>, <c>CpuMilliseconds</c>, <c>WallMilliseconds</c> and <c>StatusCode</c>; event 4, <c>OverCpuBudgetWhileRunning</c>, is
    /// the same without the status, for a request that has not ended, which event 1 then leaves out. Event 3, <c>RouteTableFull</c>, is
    /// logged once when further routes count as <c>(other)</c>. Event 2, <c>CpuTimeUnavailable</c>, is logged
    /// once if this machine does not report the CPU time of threads: requests are then served without being measured. Exceptions that
    /// metric listeners and loggers throw when a request is reported are ignored; one that a listener throws when the instrument is
    /// published fails the application's start.</para>
    /// <para><b>Cost.</b> Two readings of the thread's clock for a request that never waits and two more for each wait; three objects of
    /// 160 bytes in total, or four of 208 if the host creates an activity (it does if any logger is enabled).</para>
    /// </remarks>
    /// <param name="app">The application, or a branch of it.</param>
    /// <returns><paramref name="app"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="app"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException"><c>AddPicollo()</c> was not called.</exception>
    public static IApplicationBuilder UsePicollo(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        RequestReporter reporter = app.ApplicationServices.GetService<RequestReporter>()
            ?? throw new InvalidOperationException("UsePicollo() needs the services that builder.Services.AddPicollo() adds.");
        PicolloOptions options = app.ApplicationServices.GetRequiredService<IOptions<PicolloOptions>>().Value;
        if (reporter.CanMeasure)
        {
            app.ApplicationServices.GetRequiredService<MeterBridge>().NoteMiddleware();
        }

        return app.Use(next => reporter.CanMeasure ? new CpuUsageMiddleware(next, reporter, options).Invoke : next);
    }

    /// <summary>Maps a live page with the CPU and wall time of requests by route and the registered histograms, and the same data for
    /// programs.</summary>
    /// <remarks>
    /// <para>Below <paramref name="pattern"/>: the page itself; <c>/events</c>, its updates each second; <c>/metrics</c>, all histograms in
    /// Prometheus' text format; <c>/json</c>, counts, rates and percentiles; <c>/mark</c> and <c>/diff</c>, with which the page compares
    /// two moments. The server stores nothing, and no request changes its state, except for CPU profiles
    /// (<see cref="PicolloOptions.Profiling"/>), which a POST to the page takes. Rates cover the time since the last reading, or up to ten
    /// seconds while a page is open. Nothing runs while there are no requests for the page.</para>
    /// <para>Unless <c>RequireAuthorization()</c> or <c>AllowAnonymous()</c> is called on the return value, or on a group around it, the
    /// page answers only in the Development environment, and there only requests from this machine: from a loopback address, for a local
    /// Host, and not sent by a proxy or by a page of another origin. All others get 404, and the reason for the first one is logged.
    /// Outside Development a warning at start-up says what to write.</para>
    /// <para>With <c>AllowAnonymous()</c> every client that reaches the page sees it. Combine it with
    /// <see cref="RequireLocalPort"/> to give the page a port that only trusted clients reach.</para>
    /// <para>Beyond <see cref="PicolloOptions.MaxViewers"/> open pages, requests for updates get 503. Requests for the page are in no
    /// number but a part of the CPU time of the process.</para>
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
        IServiceProvider services = endpoints.ServiceProvider;
        PageEndpoints page = services.GetService<PageEndpoints>()
            ?? throw new InvalidOperationException("MapPicollo() needs builder.Services.AddPicollo().");
        PageAccess access = new(
            services.GetRequiredService<IHostEnvironment>(),
            services.GetRequiredService<ILoggerFactory>().CreateLogger("Picollo.AspNetCore.Page"));
        string[] get = [HttpMethods.Get, HttpMethods.Head];

        // Whole patterns and not a group's prefix, with which the page itself would be /picollo/.
        RouteGroupBuilder group = endpoints.MapGroup("").WithMetadata(access);
        string prefix = pattern.TrimEnd('/');
        Map("", page.PageMethods, page.AnswerPageAsync);
        Map("/events", get, page.AnswerEventsAsync).DisableHttpMetrics().WithMetadata(EndpointUsage.LongLivedMetadata);
        Map("/metrics", get, page.AnswerMetricsAsync);
        Map("/json", get, page.AnswerJsonAsync);
        Map("/mark", get, page.AnswerMarkAsync);
        Map("/diff", [HttpMethods.Post], page.AnswerDiffAsync);

        // At start-up, because the conventions of the caller and of groups around the page come after this call.
        services.GetRequiredService<IHostApplicationLifetime>().ApplicationStarted.Register(
            () => access.WarnIfClosed(services.GetRequiredService<EndpointDataSource>().Endpoints));
        return group;

        IEndpointConventionBuilder Map(string path, string[] methods, RequestDelegate handler) =>
            group.Map(prefix + path, access.Protect(methods, handler)).WithDisplayName($"Picollo {prefix}{path}");
    }

    /// <summary>Makes the endpoint exist only on a port of the server. Requests to other ports get 404, as for a route that does not
    /// exist.</summary>
    /// <remarks>
    /// <para>Compares <see cref="ConnectionInfo.LocalPort"/>, the port on which the server accepted the connection. <c>RequireHost</c>
    /// compares the Host header, which the client chooses: it does not protect a port. The server must also listen on the port
    /// (<c>--urls "http://*:8080;http://*:9464"</c>). In a container, it is the port inside of it.</para>
    /// <para>Applies to all kinds of endpoints, and to groups. The last call holds. Needs <c>AddPicollo()</c>.</para>
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
                : throw new InvalidOperationException("RequireLocalPort() needs the services that builder.Services.AddPicollo() adds.")));
        return builder;
    }

    /// <summary>Counts the endpoint's requests in a row of their own, because they last until the client disconnects or the server has
    /// something to say: streams, long polls.</summary>
    /// <remarks>Not needed for WebSockets, server-sent events, SignalR, and methods of gRPC that are not unary, which are recognised.
    /// Applies to all kinds of endpoints, and to groups.</remarks>
    /// <typeparam name="TBuilder">The type of the endpoint's builder.</typeparam>
    /// <param name="builder">The builder of one or more endpoints.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    public static TBuilder WithLongLivedRequests<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.WithMetadata(EndpointUsage.LongLivedMetadata);
    }

    /// <summary>
    /// Runs the endpoint in a <see cref="Picollo.Scheduling.CpuWorkerPool"/>, so that the rest of the application stays responsive under
    /// any number of such requests.
    /// </summary>
    /// <remarks>
    /// <para>All of the endpoint runs there: its filters, the binding of its parameters, the handler and the writing of its result.
    /// Handlers call the checkpoints of <see cref="CpuTaskHttpContextExtensions.GetCpuTask"/> as they proceed. Exceptions propagate as they
    /// do without it, and the request's CPU time includes its time on the workers.</para>
    /// <para><b>Do not block</b> on a task or on I/O (<c>Wait</c>, <c>Result</c>). It works, but while other requests wait, each time costs
    /// some 30 ms and a thread (see <see cref="Picollo.Scheduling.CpuWorkerPool"/>), and the first time for each endpoint is logged. Some
    /// synchronous members of ASP.NET Core block while data is missing: <see cref="HttpRequest.Form"/> (use <c>ReadFormAsync</c> or bound
    /// parameters); synchronous reads and writes of <see cref="HttpRequest.Body"/> and <see cref="HttpResponse.Body"/>, which
    /// <c>AllowSynchronousIO</c> permits (use the asynchronous ones); and the members of <see cref="ISession"/> before
    /// <c>await session.LoadAsync()</c>, with a store that waits for asynchronous work.</para>
    /// <para>The application has one pool, created for the first request with <see cref="PicolloOptions.CpuWorkers"/>. A task is
    /// cancelled when its request is aborted: at once while it waits for its first turn, otherwise at its next checkpoint. When
    /// <see cref="PicolloOptions.CpuWorkerQueueLimit"/> requests are waiting, further ones are answered with 503 and <c>Retry-After:
    /// 1</c>. When the application stops, requests in the pool are completed, as long as the host waits.</para>
    /// <para>Applies to all kinds of endpoints: minimal APIs, groups and controllers. Calls for a group and for its endpoint have the
    /// effect of one.</para>
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

    private static void RunOnWorker(EndpointBuilder endpoint)
    {
        if (endpoint.RequestDelegate is not { } handler || endpoint.Metadata.Contains(OnWorkerMetadata))
        {
            return;
        }

        CpuWorkers workers = endpoint.ApplicationServices.GetService<CpuWorkers>()
            ?? throw new InvalidOperationException("RequireCpuWorker() needs the services that builder.Services.AddPicollo() adds.");
        CpuTaskOptions options = new() { Name = endpoint.DisplayName is { Length: > 0 } name ? name : nameof(RequireCpuWorker) };
        endpoint.Metadata.Add(OnWorkerMetadata);
        endpoint.RequestDelegate = context => workers.TryRun(context, handler, options) ?? Refuse(context);
    }

    private static Task Refuse(HttpContext context)
    {
        MeasuredRequest.NoteRefusal(context);
        context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return Task.CompletedTask;
    }
}
