using System.Collections.Frozen;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Work;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>The rows of the methods and routes that were requested, up to the number that the options allow. Thread-safe.</summary>
internal sealed class RouteTable(IOptions<PicolloOptions> options, TimeProvider time)
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

    /// <summary>The route of requests for Picollo's own page.</summary>
    public const string OwnPage = "(Picollo page)";

    /// <summary>The label of requests for Picollo's own page in CPU profiles.</summary>
    public static readonly FlowLabel PageLabel = new("", OwnPage);

    /// <summary>The name of unknown methods.</summary>
    public const string OtherMethod = "_OTHER";

    /// <summary>The label of requests in CPU profiles until routing has found their endpoint or they have ended.</summary>
    public static readonly FlowLabel Unrouted = new(OtherMethod, NoEndpoint);

    private const int ShownRequests = 10;

    // The methods of RFC 9110, PATCH (RFC 5789) and QUERY, as in OpenTelemetry's HTTP conventions. Methods are case-sensitive.
    private static readonly FrozenSet<string> KnownMethods = FrozenSet.Create(
        StringComparer.Ordinal, "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE", "QUERY");

    private readonly RowTable<(string Method, string Route), RouteUsage> _routes =
        new(options.Value.MaxRoutes, (OtherMethod, Other), key => new RouteUsage(
            key.Method, key.Route, options.Value.MeasureAllocations, options.Value.CollectExemplars ? time : null));

    /// <summary>The requests for Picollo's own page. They are not shown in the table, because they do not belong to the
    /// application.</summary>
    public RouteUsage Page { get; } = new("", OwnPage);

    /// <summary>The number of rows that the options allow, without the row for <see cref="Other"/>.</summary>
    public int Capacity => _routes.Capacity;

    /// <summary>Whether requests have been counted for <see cref="Other"/>.</summary>
    public bool IsFull => _routes.IsFull;

    /// <summary>All routes at the time of the call, ordered by route and method.</summary>
    public IReadOnlyList<RouteUsage> All => [.. _routes.All
        .OrderBy(usage => usage.Route, StringComparer.Ordinal)
        .ThenBy(usage => usage.Method, StringComparer.Ordinal)];

    /// <summary>Returns the slowest requests of all routes, slowest first; null if their traces are not kept.</summary>
    public IReadOnlyList<TracedRequest>? ReadSlowest() => !options.Value.CollectExemplars ? null :
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

    public RouteUsage Get(string method, string route) => _routes.Get((method, route));
}
