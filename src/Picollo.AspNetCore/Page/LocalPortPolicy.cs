using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;

namespace Picollo.AspNetCore.Page;

/// <summary>Metadata of an endpoint that is restricted to a local port.</summary>
internal sealed record LocalPort(int Number);

/// <summary>Routes requests to endpoints with a <see cref="LocalPort"/> only if the connection was accepted on that port. The client
/// chooses the Host header, which <c>RequireHost</c> matches, but cannot choose the port of the connection.</summary>
internal sealed class LocalPortPolicy : MatcherPolicy, IEndpointSelectorPolicy
{
    public override int Order => 0;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => ContainsDynamicEndpoints(endpoints)
        || endpoints.Any(endpoint => endpoint.Metadata.GetMetadata<LocalPort>() is not null);

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        int port = httpContext.Connection.LocalPort;
        for (int i = 0; i < candidates.Count; i++)
        {
            if (candidates[i].Endpoint.Metadata.GetMetadata<LocalPort>() is { } required && required.Number != port)
            {
                candidates.SetValidity(i, false);
            }
        }

        return Task.CompletedTask;
    }
}
