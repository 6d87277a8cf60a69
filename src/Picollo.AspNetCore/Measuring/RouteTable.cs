using System.Collections.Frozen;
using Microsoft.AspNetCore.Routing;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Measuring;

/// <summary>The rows of the methods and routes that were requested, up to the number that the options allow. Thread-safe.</summary>
/// <remarks>A client chooses the method, so its requests must not fill the table. Each method that an endpoint declares has a reserved row.
/// All other methods except GET, POST and CONNECT (WebSockets over HTTP/2) share a row for each route.</remarks>
internal sealed class RouteTable
{
    /// <summary>The route of all static files. They share one row, because the names of the files change with each release.</summary>
    public const string StaticFiles = "(static files)";

    /// <summary>The route of requests that were not answered by an endpoint with a route.</summary>
    public const string NoEndpoint = "(no endpoint)";

    /// <summary>The route of requests that reached the end of the pipeline without an answer.</summary>
    public const string Unhandled = "(unhandled)";

    /// <summary>The route of requests to further routes after the table is full. Its method is <see cref="OtherMethod"/>.</summary>
    public const string Other = "(other)";

    private const string LongLived = "(long-lived)";

    public const string OwnPage = "(Picollo page)";

    public static readonly FlowLabel PageLabel = new("", OwnPage);

    public const string OtherMethod = "_OTHER";

    /// <summary>The label of requests in CPU profiles until routing has found their endpoint or they have ended.</summary>
    public static readonly FlowLabel Unrouted = new(OtherMethod, NoEndpoint);

    private const int ShownRequests = 10;

    // The methods of RFC 9110, PATCH (RFC 5789) and QUERY, as in OpenTelemetry's HTTP conventions. Methods are case-sensitive.
    private static readonly FrozenSet<string> KnownMethods = FrozenSet.Create(
        StringComparer.Ordinal, "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE", "QUERY");

    private readonly PicolloRequestOptions _options;
    private readonly EndpointDataSource? _endpoints;
    private readonly RowTable<(string Method, string Route), RouteRow> _routes;
    private (IReadOnlyList<Endpoint> Endpoints, int Limit) _undeclared = ([], 0); // guarded by the lock of the table

    /// <summary>The endpoints are null if the application has no routing.</summary>
    public RouteTable(IOptions<PicolloOptions> options, TimeProvider time, EndpointDataSource? endpoints = null)
    {
        (_options, _endpoints) = (options.Value.Requests, endpoints);
        _routes = new(
            _options.MaxRoutes,
            (OtherMethod, Other),
            key => new(key.Method, key.Route, _options, _options.CollectExemplars || _options.MeasuresLatency ? time : null),
            endpoints is null ? null : GetUndeclaredLimit);
    }

    /// <summary>The requests for Picollo's own page. They are not shown in the table, because they do not belong to the
    /// application.</summary>
    public RouteRow Page { get; } = new("", OwnPage);

    /// <summary>The number of rows that the options allow, without the row for <see cref="Other"/>.</summary>
    public int Capacity => _routes.Capacity;

    /// <summary>Whether requests have been counted for <see cref="Other"/>.</summary>
    public bool IsFull => _routes.IsFull;

    /// <summary>All routes at the time of the call, ordered by route and method.</summary>
    public IReadOnlyList<RouteRow> All => [.. _routes.All
        .OrderBy(row => row.Route, StringComparer.Ordinal)
        .ThenBy(row => row.Method, StringComparer.Ordinal)];

    /// <summary>Returns the slowest requests of all routes, slowest first; null if they are not kept.</summary>
    public IReadOnlyList<KeptRequest>? ReadSlowest() => !_options.CollectExemplars && !_options.MeasuresLatency ? null :
    [
        .. _routes.All.SelectMany(route => route.Durations).SelectMany(duration => duration.Slowest!.Read())
            .OrderByDescending(request => request.WallNanoseconds)
            .Take(ShownRequests),
    ];

    /// <summary>Returns the shared string of a known method, or <see cref="OtherMethod"/>.</summary>
    public static string MethodOf(string method) => KnownMethods.TryGetValue(method, out string? known) ? known : OtherMethod;

    /// <summary>Returns the name of a route's row. Long-lived requests have a separate row, so that they do not distort the percentiles of
    /// other requests.</summary>
    public static string NameOf(string route, bool isLongLived) => isLongLived ? $"{route} {LongLived}" : route;

    public static bool IsLongLived(string route) => route.EndsWith(LongLived, StringComparison.Ordinal);

    /// <summary>Returns the method in the row of a route that does not declare the method.</summary>
    public static string UndeclaredMethodOf(string method) => method is "GET" or "POST" or "CONNECT" ? method : OtherMethod;

    public RouteRow Get(string method, string route, bool isDeclared = false) => _routes.Get((method, route), isDeclared);

    // If more methods are declared than there are rows, a quarter of the rows remains for requests without an endpoint, health checks and
    // other routes that declare no method. The endpoints are counted again after a change, which creates another list.
    private int GetUndeclaredLimit()
    {
        IReadOnlyList<Endpoint> all = _endpoints!.Endpoints;
        if (!ReferenceEquals(all, _undeclared.Endpoints))
        {
            int declared = all.Select(endpoint => new EndpointInfo(endpoint)).Where(info => !info.IsExcluded && !info.IsPage)
                .SelectMany(info => info.DeclaredMethods.Select(method => (method, info.Route))).Distinct().Count();
            _undeclared = (all, declared > Capacity ? Capacity / 4 : Capacity - declared);
        }

        return _undeclared.Limit;
    }
}
