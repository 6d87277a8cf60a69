using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;

namespace Picollo.AspNetCore.Requests;

/// <summary>What is known of an endpoint, or of requests without one: looked up once, and kept with the histograms of the method that it
/// was last requested with.</summary>
internal sealed class EndpointUsage(Endpoint? endpoint)
{
    /// <summary>Metadata of endpoints whose responses end when the client disconnects, so that their wall time means nothing.</summary>
    public static readonly object EndlessMetadata = new();

    // Keys of the framework that are not public; the server's own metrics read them, too.
    private const string OriginalEndpointKey = "__OriginalEndpoint"; // HttpExtensions
    private const string RequestUnhandledKey = "__RequestUnhandled"; // ApplicationBuilder

    // Written by any thread; correct for the method that it names.
    private RouteUsage? _latest;

    /// <summary>The pattern; null if there is none.</summary>
    /// <remarks>The root may be written as "/" or ""; it is "/" here, as <c>http.route</c> of the framework's own metrics.</remarks>
    public string? Route { get; } =
        (endpoint?.Metadata.GetMetadata<IRouteDiagnosticsMetadata>()?.Route
            ?? (endpoint as RouteEndpoint)?.RoutePattern.RawText) is { } route
            ? route.Length == 0 ? "/" : route
            : null;

    /// <summary>Whether the endpoint has <see cref="EndlessMetadata"/>.</summary>
    public bool IsEndless { get; } = endpoint?.Metadata.Contains(EndlessMetadata) ?? false;

    /// <summary>The endpoint that a request came for; null if there was none.</summary>
    /// <remarks>Error pages run the pipeline a second time, for their own path. The endpoint is that of the first run: the exception
    /// handler leaves a feature with it, and both kinds of pages put it among the request's items. If the first run had none, the end of
    /// the pipeline has noted there that the request was unhandled.</remarks>
    public static Endpoint? RequestedBy(HttpContext context)
    {
        if (context.Features.Get<IExceptionHandlerFeature>() is { } handled)
        {
            return handled.Endpoint;
        }

        // Not by context.Items, which would allocate items for a request without any.
        Endpoint? last = context.GetEndpoint();
        if (context.Features.Get<IItemsFeature>()?.Items is not { Count: > 0 } items)
        {
            return last;
        }

        return items.TryGetValue(OriginalEndpointKey, out object? original) && original is Endpoint endpoint ? endpoint
            : items.ContainsKey(RequestUnhandledKey) ? null
            : last;
    }

    /// <summary>The histograms of a method that <see cref="RouteTable.MethodOf"/> returned.</summary>
    public RouteUsage Get(RouteTable routes, string method)
    {
        RouteUsage? latest = Volatile.Read(ref _latest);
        if (latest is not null && ReferenceEquals(latest.Method, method))
        {
            return latest;
        }

        string route = Route ?? RouteTable.Unmatched;
        RouteUsage usage = routes.Get(method, route);

        // A full table returns the histograms of the rest, whose method may be another.
        if (usage.Route == route)
        {
            Volatile.Write(ref _latest, usage);
        }

        return usage;
    }
}
