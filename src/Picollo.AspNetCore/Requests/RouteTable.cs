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

    // That of the route Other, once the table is full, which it then is for ever: no lock for what is beyond.
    private RouteUsage? _rest;

    /// <summary>All routes at the moment of the call, by route and method.</summary>
    public IReadOnlyList<RouteUsage> All => [.. _routes.Values
        .OrderBy(usage => usage.Route, StringComparer.Ordinal)
        .ThenBy(usage => usage.Method, StringComparer.Ordinal)];

    /// <summary>The histograms of a method and route.</summary>
    public RouteUsage Get(string method, string route) =>
        _routes.TryGetValue((method, route), out RouteUsage? usage) ? usage : Volatile.Read(ref _rest) ?? Add(method, route);

    private RouteUsage Add(string method, string route)
    {
        lock (_routes)
        {
            if (_routes.TryGetValue((method, route), out RouteUsage? usage))
            {
                return usage;
            }

            bool isFull = _routes.Count >= _capacity;
            RouteUsage added = _routes.GetOrAdd(
                isFull ? (KnownMethods.Other, Other) : (method, route), static key => new RouteUsage(key.Method, key.Route));
            if (isFull)
            {
                Volatile.Write(ref _rest, added);
            }

            return added;
        }
    }
}
