using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Requests;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps Picollo's page.</summary>
public static class PicolloEndpointRouteBuilderExtensions
{
    /// <summary>Maps a live page with the CPU and wall time of requests by route and the registered histograms, and the same data for
    /// programs.</summary>
    /// <remarks>
    /// <para>Below <paramref name="pattern"/>: the page itself; <c>/events</c>, its updates each second; <c>/metrics</c>, all histograms in
    /// Prometheus' text format; <c>/json</c>, counts, rates and percentiles; <c>/mark</c> and <c>/diff</c>, with which the page compares
    /// two moments. The server stores nothing, and no request changes its state. Rates cover the time since the last reading, or up to ten
    /// seconds while a page is open. Nothing runs while there are no requests for the page.</para>
    /// <para>Unless <c>RequireAuthorization()</c> or <c>AllowAnonymous()</c> is called on the return value, or on a group around it, only
    /// requests from this machine are answered: from a loopback address, for a local Host, and not sent by a proxy or by a page of another
    /// origin. Others get 404, and the first one is logged. A proxy on this machine that adds no header, speaks HTTP/1.1 and sets a local
    /// Host is indistinguishable from a local client: behind such a proxy, require authorization.</para>
    /// <para>Beyond <see cref="PicolloOptions.MaxViewers"/> open pages, requests for updates get 503. The page's requests are measured as
    /// all others, except the wall time of its updates, which do not end by themselves.</para>
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
        PageAccess access = new(services.GetRequiredService<ILoggerFactory>().CreateLogger("Picollo.AspNetCore.Page"));
        string[] get = [HttpMethods.Get, HttpMethods.Head];

        // Whole patterns and not a group's prefix, with which the page itself would be /picollo/.
        RouteGroupBuilder group = endpoints.MapGroup("");
        string prefix = pattern.TrimEnd('/');
        Map("", get, page.AnswerPageAsync);
        Map("/events", get, page.AnswerEventsAsync).DisableHttpMetrics().WithMetadata(EndpointUsage.EndlessMetadata);
        Map("/metrics", get, page.AnswerMetricsAsync);
        Map("/json", get, page.AnswerJsonAsync);
        Map("/mark", get, page.AnswerMarkAsync);
        Map("/diff", [HttpMethods.Post], page.AnswerDiffAsync);
        return group;

        IEndpointConventionBuilder Map(string path, string[] methods, RequestDelegate handler) =>
            group.Map(prefix + path, access.Protect(methods, handler)).WithDisplayName($"Picollo {prefix}{path}");
    }
}
