using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Requests;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Adds the middleware that measures requests.</summary>
public static class PicolloApplicationBuilderExtensions
{
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
    /// of the response. Work that outlives its request counts until the request ends.</para>
    /// <para><b>Routes.</b> A request that an error page answers counts for the route it came for. A request without a route counts for
    /// <c>(unmatched)</c>. Paths are not recorded.</para>
    /// <para><b>Metrics and log.</b> The meter <c>Picollo.AspNetCore</c> has the histogram <c>picollo.http.server.request.cpu.time</c> in
    /// seconds, with the tags <c>http.request.method</c>, <c>http.response.status_code</c>, <c>http.route</c> if there was one, and, with
    /// <see cref="Picollo.Cpu.CpuUsageDetail.UserAndKernel"/>, <c>cpu.mode</c> (<c>user</c> or <c>system</c>; two measurements for each
    /// request). The log category is <c>Picollo.AspNetCore.CpuUsage</c>. Event 1, <c>OverCpuBudget</c>, is a warning with <c>Method</c>,
    /// <c>Route</c>, <c>CpuMilliseconds</c>, <c>WallMilliseconds</c> and <c>StatusCode</c>. Event 2, <c>CpuTimeUnavailable</c>, is logged
    /// once if this machine does not report the CPU time of threads: requests are then served without being measured. Exceptions that
    /// metric listeners and loggers throw when a request is reported are ignored; one that a listener throws when the instrument is
    /// published fails the application's start.</para>
    /// <para><b>Cost.</b> Two readings of the thread's clock for a request that never waits and two more for each wait; three objects of
    /// 152 bytes in total, or four of 200 if the host creates an activity (it does if any logger is enabled).</para>
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
        return app.Use(next => reporter.CanMeasure ? new CpuUsageMiddleware(next, reporter, options).Invoke : next);
    }
}
