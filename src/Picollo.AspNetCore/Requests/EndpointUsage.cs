using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;

namespace Picollo.AspNetCore.Requests;

/// <summary>What is known of an endpoint, looked up once: its pattern, and the histograms of the method that it was last asked
/// by.</summary>
internal sealed class EndpointUsage(Endpoint endpoint)
{
    // Any thread's, and right for the method that it names.
    private RouteUsage? _latest;

    /// <summary>The pattern; null where it has none.</summary>
    /// <remarks>The root may be written as / or as nothing; <c>http.route</c> of the framework's own metrics is / for both.</remarks>
    public string? Route { get; } =
        (endpoint.Metadata.GetMetadata<IRouteDiagnosticsMetadata>()?.Route
            ?? (endpoint as RouteEndpoint)?.RoutePattern.RawText) is { } route
            ? route.Length == 0 ? "/" : route
            : null;

    /// <inheritdoc cref="EndlessMetadata"/>
    public bool IsEndless { get; } = endpoint.Metadata.GetMetadata<EndlessMetadata>() is not null;

    /// <summary>The histograms, of a known method.</summary>
    public RouteUsage Get(RouteTable routes, string method)
    {
        RouteUsage? latest = Volatile.Read(ref _latest);
        if (latest is not null && ReferenceEquals(latest.Method, method))
        {
            return latest;
        }

        string route = Route ?? RouteTable.Unmatched;
        RouteUsage usage = routes.Get(method, route);

        // That of the rest, in a full table, is named for no method of this endpoint.
        if (usage.Route == route)
        {
            Volatile.Write(ref _latest, usage);
        }

        return usage;
    }
}
