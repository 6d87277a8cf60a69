using System.Collections.Frozen;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;

namespace Picollo.AspNetCore.Page;

/// <summary>Metadata of an endpoint that is restricted to a local port.</summary>
internal sealed record LocalPort(int Number);

/// <summary>Routes requests to endpoints with a <see cref="LocalPort"/> only if the connection was accepted on that port. The client
/// chooses the Host header, which <c>RequireHost</c> matches, but cannot choose the port of the connection.</summary>
/// <remarks>Routing creates responses such as 405 for the endpoints that the previous policies have left. This policy therefore comes
/// before that of the methods, so that an endpoint of another port has no effect. It builds branches of the matcher, because a selector
/// runs after all branches. With dynamic endpoints, the matcher has selectors only.</remarks>
internal sealed class LocalPortPolicy : MatcherPolicy, INodeBuilderPolicy, IEndpointSelectorPolicy
{
    private const int OtherPort = 0;

    // The framework's policies replace dynamic endpoints at int.MinValue + 100, and select by method at -1000.
    public override int Order => -10_000;

    bool INodeBuilderPolicy.AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) =>
        !ContainsDynamicEndpoints(endpoints) && endpoints.Any(endpoint => PortOf(endpoint) is not null);

    bool IEndpointSelectorPolicy.AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => ContainsDynamicEndpoints(endpoints);

    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints) =>
    [
        .. endpoints.Select(endpoint => PortOf(endpoint) ?? OtherPort).Distinct().Select(port => new PolicyNodeEdge(
            port, [.. endpoints.Where(endpoint => (PortOf(endpoint) ?? port) == port)])),
    ];

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges) =>
        new JumpTable(exitDestination, edges.ToFrozenDictionary(edge => (int)edge.State, edge => edge.Destination));

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        int port = httpContext.Connection.LocalPort;
        for (int i = 0; i < candidates.Count; i++)
        {
            if (PortOf(candidates[i].Endpoint) is { } required && required != port)
            {
                candidates.SetValidity(i, false);
            }
        }

        return Task.CompletedTask;
    }

    private static int? PortOf(Endpoint endpoint) => endpoint.Metadata.GetMetadata<LocalPort>()?.Number;

    private sealed class JumpTable(int exit, FrozenDictionary<int, int> destinations) : PolicyJumpTable
    {
        public override int GetDestination(HttpContext httpContext) =>
            destinations.TryGetValue(httpContext.Connection.LocalPort, out int destination) ? destination
            : destinations.GetValueOrDefault(OtherPort, exit);
    }
}
