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
    /// <summary>Maps a live page of what requests take by route and of the registered histograms, and the same for programs.</summary>
    /// <remarks>
    /// <para>Below <paramref name="pattern"/>: the page itself; <c>/events</c>, its updates each second; <c>/metrics</c>, all histograms in
    /// Prometheus' text format; <c>/json</c>, counts, rates and percentiles; <c>/mark</c> and <c>/diff</c>, with which the page compares
    /// two moments. Nothing is stored and no request changes anything. Rates are over the time since the last look, ten seconds at the most
    /// while somebody looks on; nothing runs while nobody does.</para>
    /// <para>Unless <c>RequireAuthorization()</c> or <c>AllowAnonymous()</c> is called on what this returns, or on a group around it, only
    /// this machine is answered: a request from a loopback address, for a local Host, that no proxy and no other
    /// origin's page sent. Others get 404, and the first of them a line in the log. A proxy on this machine that adds no header, speaks
    /// HTTP/1.1 and sets a local Host cannot be told from a local client: behind such a one require authorization.</para>
    /// <para>More than <see cref="PicolloOptions.MaxViewers"/> open pages get 503 for their updates. The page's requests are counted as all
    /// others, but for the wall time of its updates, which have no end.</para>
    /// </remarks>
    /// <param name="endpoints">The application.</param>
    /// <param name="pattern">The page's route.</param>
    /// <returns>What conventions are added to, for all of these endpoints.</returns>
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

        // Of the whole patterns and not by a group's prefix, which would call the page itself /picollo/.
        RouteGroupBuilder group = endpoints.MapGroup("");
        string prefix = pattern.TrimEnd('/');
        Map("", get, page.AnswerPageAsync);
        Map("/events", get, page.AnswerEventsAsync).DisableHttpMetrics().WithMetadata(EndlessMetadata.Instance);
        Map("/metrics", get, page.AnswerMetricsAsync);
        Map("/json", get, page.AnswerJsonAsync);
        Map("/mark", get, page.AnswerMarkAsync);
        Map("/diff", [HttpMethods.Post], page.AnswerDiffAsync);
        return group;

        IEndpointConventionBuilder Map(string path, string[] methods, RequestDelegate handler) =>
            group.Map(prefix + path, access.Protect(methods, handler)).WithDisplayName($"Picollo {prefix}{path}");
    }
}
