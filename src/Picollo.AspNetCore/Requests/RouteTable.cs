using System.Collections.Concurrent;
using Microsoft.Extensions.Options;

namespace Picollo.AspNetCore.Requests;

/// <summary>The routes that requests came for, as many as the options allow.</summary>
internal sealed class RouteTable(IOptions<PicolloOptions> options)
{
    /// <summary>The route of requests for which there was none.</summary>
    public const string Unmatched = "(unmatched)";

    /// <summary>The route of those that came when the table was full, with the method <c>_OTHER</c>.</summary>
    public const string Other = "(other)";

    private readonly ConcurrentDictionary<(string Method, string Route), RouteUsage> _routes = new();
    private readonly int _capacity = options.Value.MaxRoutes;

    /// <summary>All routes at the moment of the call, by route and method.</summary>
    public IReadOnlyList<RouteUsage> All => [.. _routes.Values
        .OrderBy(usage => usage.Route, StringComparer.Ordinal)
        .ThenBy(usage => usage.Method, StringComparer.Ordinal)];

    /// <summary>The histograms of a method and route.</summary>
    public RouteUsage Get(string method, string route) =>
        _routes.TryGetValue((method, route), out RouteUsage? usage) ? usage : Add(method, route);

    private RouteUsage Add(string method, string route)
    {
        lock (_routes)
        {
            bool isFull = _routes.Count >= _capacity;
            return isFull
                ? _routes.GetOrAdd((KnownMethods.Other, Other), static key => new RouteUsage(key.Method, key.Route))
                : _routes.GetOrAdd((method, route), static key => new RouteUsage(key.Method, key.Route));
        }
    }
}
