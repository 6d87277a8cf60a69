using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Requests;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Switches the measuring of requests on.</summary>
public static class CpuUsageApplicationBuilderExtensions
{
    /// <summary>
    /// Measures every request: the CPU time it takes on all its threads, and how long it lasts, by method and route pattern.
    /// </summary>
    /// <remarks>
    /// <para><b>Where</b> in the pipeline it is called does not matter: all requests are counted, from before the first middleware to after
    /// the last, so that routing, requests that are short-circuited and those that no route matches are in it. Further calls change
    /// nothing.</para>
    /// <para><b>Counted</b> is what <see cref="Picollo.Cpu.CpuUsageAsyncWatcher"/> counts, from the moment the server hands the request
    /// over to that at which the pipeline has returned: not the server's own reading of the request and sending of what is left of the
    /// response. Work that outlives its request is counted up to there. Each request counts once, at its end: streams and WebSockets
    /// too.</para>
    /// <para><b>Routes.</b> A request that an error page answers (<c>UseExceptionHandler</c>, <c>UseStatusCodePagesWithReExecute</c>)
    /// counts for the route it came for. Without one it counts for the route <c>(unmatched)</c>; paths appear nowhere.</para>
    /// <para><b>Elsewhere.</b> The histogram <c>http.server.request.cpu.time</c> of the meter <c>Picollo.AspNetCore</c> (seconds; tags
    /// <c>http.request.method</c>, <c>http.response.status_code</c>, <c>http.route</c> where there was one, and <c>cpu.mode</c>,
    /// <c>user</c> or <c>system</c>, where <see cref="Picollo.AspNetCore.PicolloOptions.Detail"/> tells them apart: two points a request
    /// then). The log's category is <c>Picollo.AspNetCore.CpuUsage</c>: event 1, <c>OverCpuBudget</c>, a warning with <c>Method</c>,
    /// <c>Route</c>, <c>CpuMilliseconds</c>, <c>WallMilliseconds</c> and <c>StatusCode</c>; event 2, <c>CpuTimeUnavailable</c>, once, where
    /// this machine does not tell a thread's CPU time: requests are served and not measured then.</para>
    /// <para><b>Cost.</b> Two readings of the thread's clock for a request that never waits and two for each wait; three objects and 152
    /// bytes, or four and 200 where the host makes an activity (it does if anything logs).</para>
    /// </remarks>
    /// <param name="app">The application, or a branch of it.</param>
    /// <returns><paramref name="app"/>.</returns>
    /// <exception cref="ArgumentNullException">No application.</exception>
    /// <exception cref="InvalidOperationException"><c>AddPicollo()</c> was not called.</exception>
    public static IApplicationBuilder UseCpuUsage(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        CpuUsageStartupFilter filter = app.ApplicationServices.GetService<CpuUsageStartupFilter>()
            ?? throw new InvalidOperationException("UseCpuUsage() needs the services that builder.Services.AddPicollo() adds.");
        filter.IsOn = true;
        return app;
    }
}
