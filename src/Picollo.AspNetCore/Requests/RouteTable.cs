using System.Collections.Frozen;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Work;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>The histograms of each method and route that was requested, up to the number that the options allow. Thread-safe.</summary>
internal sealed class RouteTable(IOptions<PicolloOptions> options, TimeProvider time)
{
    /// <summary>The route of all static files, because each release has new names for them.</summary>
    public const string StaticFiles = "(static files)";

    /// <summary>The route of requests that something other than an endpoint with a route has answered.</summary>
    public const string NoEndpoint = "(no endpoint)";

    /// <summary>The route of requests that nothing has answered: they reached the end of the pipeline.</summary>
    public const string Unhandled = "(unhandled)";

    /// <summary>The route of requests that came when the table was full; its method is <see cref="OtherMethod"/>.</summary>
    public const string Other = "(other)";

    private const string LongLived = "(long-lived)";

    /// <summary>The route of requests for Picollo's own page.</summary>
    public const string OwnPage = "(Picollo page)";

    /// <summary>What requests for that page are for, in CPU profiles.</summary>
    public static readonly FlowLabel PageLabel = new("", OwnPage);

    /// <summary>The name of unknown methods.</summary>
    public const string OtherMethod = "_OTHER";

    /// <summary>What any request is for until routing has found its endpoint, or the request has ended, in CPU profiles.</summary>
    public static readonly FlowLabel Unrouted = new(OtherMethod, NoEndpoint);

    private const int ShownRequests = 10;

    // Those of RFC 9110, PATCH (RFC 5789) and QUERY, as in OpenTelemetry's HTTP conventions. Methods are case-sensitive.
    private static readonly FrozenSet<string> KnownMethods = FrozenSet.Create(
        StringComparer.Ordinal, "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE", "QUERY");

    private readonly RowTable<(string Method, string Route), RouteUsage> _routes =
        new(options.Value.MaxRoutes, (OtherMethod, Other), key => new RouteUsage(
            key.Method, key.Route, options.Value.MeasureAllocations, options.Value.CollectExemplars ? time : null));

    /// <summary>The requests for Picollo's own page, which are in no table: they say nothing about the application.</summary>
    public RouteUsage Page { get; } = new("", OwnPage);

    /// <summary>The number of rows that the options allow, without the one for <see cref="Other"/>.</summary>
    public int Capacity => _routes.Capacity;

    /// <summary>Whether requests count for <see cref="Other"/>.</summary>
    public bool IsFull => _routes.IsFull;

    /// <summary>All routes at the moment of the call, by route and method.</summary>
    public IReadOnlyList<RouteUsage> All => [.. _routes.All
        .OrderBy(usage => usage.Route, StringComparer.Ordinal)
        .ThenBy(usage => usage.Method, StringComparer.Ordinal)];

    /// <summary>The slowest requests of all routes, the slowest first; null if their traces are not kept.</summary>
    public IReadOnlyList<TracedRequest>? ReadSlowest() => !options.Value.CollectExemplars ? null :
    [
        .. _routes.All.SelectMany(route => route.Durations).SelectMany(duration => duration.Slowest!.Read())
            .OrderByDescending(request => request.WallNanoseconds)
            .Take(ShownRequests),
    ];

    /// <summary>The method, always the same string, or <see cref="OtherMethod"/>.</summary>
    public static string MethodOf(string method) => KnownMethods.TryGetValue(method, out string? known) ? known : OtherMethod;

    /// <summary>The name of a route's row. Long-lived requests have their own, so that they distort no percentile of the others.</summary>
    public static string NameOf(string route, bool isLongLived) => isLongLived ? $"{route} {LongLived}" : route;

    public RouteUsage Get(string method, string route) => _routes.Get((method, route));
}
