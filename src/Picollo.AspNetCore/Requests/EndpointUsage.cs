using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;

namespace Picollo.AspNetCore.Requests;

/// <summary>What is known of an endpoint, looked up once: its pattern, and the histograms of the method that it was last asked by.</summary>
internal sealed class EndpointUsage(Endpoint endpoint)
{
    // Any thread's, and right for the method that it names.
    private RouteUsage? _latest;

    /// <summary>The pattern; null where it has none.</summary>
    public string? Route { get; } =
        endpoint.Metadata.GetMetadata<IRouteDiagnosticsMetadata>()?.Route ?? (endpoint as RouteEndpoint)?.RoutePattern.RawText;

    /// <inheritdoc cref="EndlessMetadata"/>
    public bool IsEndless { get; } = endpoint.Metadata.GetMetadata<EndlessMetadata>() is not null;

    /// <summary>The histograms, of a known method.</summary>
    public RouteUsage Get(RouteTable routes, string method)
    {
        RouteUsage? latest = Volatile.Read(ref _latest);
        if (latest is null || !ReferenceEquals(latest.Method, method))
        {
            latest = routes.Get(method, Route ?? RouteTable.Unmatched);
            Volatile.Write(ref _latest, latest);
        }

        return latest;
    }
}
