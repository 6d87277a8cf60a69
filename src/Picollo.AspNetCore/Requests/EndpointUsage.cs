using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.AspNetCore.StaticAssets;
using Picollo.AspNetCore.Page;

namespace Picollo.AspNetCore.Requests;

/// <summary>What is known of an endpoint: looked up once, and kept with the histograms that it was last requested with.</summary>
internal sealed class EndpointUsage(Endpoint endpoint)
{
    /// <summary>Metadata of endpoints whose responses end when the client disconnects, so that their wall time means nothing.</summary>
    public static readonly object EndlessMetadata = new();

    // Written by any thread; correct for the method and the prefix that it has.
    private Latest? _latest;

    /// <summary>The pattern, or one of <see cref="RouteTable"/>'s names; null if there is neither.</summary>
    /// <remarks>The root may be written as "/" or ""; it is "/" here, as <c>http.route</c> of the framework's own metrics.</remarks>
    public string? Route { get; } = endpoint.Metadata.GetMetadata<StaticAssetDescriptor>() is not null ? RouteTable.StaticFiles
        : PatternOf(endpoint) is { } route ? route.Length == 0 ? "/" : route
        : null;

    /// <summary>Whether the endpoint has <see cref="EndlessMetadata"/>.</summary>
    public bool IsEndless { get; } = endpoint.Metadata.Contains(EndlessMetadata);

    /// <summary>Whether the application has excluded it from metrics (<c>DisableHttpMetrics()</c>). Picollo's own page has a stream that it
    /// excludes from the server's metrics only.</summary>
    public bool IsExcluded { get; } =
        endpoint.Metadata.GetMetadata<IDisableHttpMetricsMetadata>() is not null && endpoint.Metadata.GetMetadata<PageAccess>() is null;

    /// <summary>The histograms of a method that <see cref="RouteTable.MethodOf"/> returned, in a branch.</summary>
    public RouteUsage Get(RouteTable routes, string method, string prefix)
    {
        Latest? latest = Volatile.Read(ref _latest);
        if (latest is not null && ReferenceEquals(latest.Method, method) && ReferenceEquals(latest.Prefix, prefix))
        {
            return latest.Usage;
        }

        RouteUsage usage = routes.Get(method, RouteIn(prefix));
        Volatile.Write(ref _latest, new Latest(method, prefix, usage));
        return usage;
    }

    /// <summary>The route's name in a branch.</summary>
    public string RouteIn(string prefix) => Route is null ? RouteTable.NoEndpoint
        : Route == RouteTable.StaticFiles || prefix.Length == 0 ? Route
        : Route == "/" ? prefix
        : prefix + (Route.StartsWith('/') ? "" : "/") + Route;

    private static string? PatternOf(Endpoint endpoint) => endpoint is RouteEndpoint { RoutePattern: { RequiredValues.Count: > 0 } pattern }
        ? WithRequiredValues(pattern)
        : endpoint.Metadata.GetMetadata<IRouteDiagnosticsMetadata>()?.Route ?? (endpoint as RouteEndpoint)?.RoutePattern.RawText;

    /// <summary>The pattern with the values that the endpoint requires: of conventional routes such as
    /// <c>{controller=Home}/{action=Index}/{id?}</c>, those of the action. Each action has an endpoint, and all share the pattern's
    /// text.</summary>
    private static string? WithRequiredValues(RoutePattern pattern)
    {
        string? text = pattern.RawText;
        foreach (RoutePatternParameterPart parameter in pattern.Parameters)
        {
            if (pattern.RequiredValues.TryGetValue(parameter.Name, out object? required) && required is string { Length: > 0 } value)
            {
                text = Regex.Replace(text!, $@"\{{\**{Regex.Escape(parameter.Name)}([=:?][^}}]*)?\}}", _ => value, RegexOptions.IgnoreCase);
            }
        }

        return text;
    }

    private sealed record Latest(string Method, string Prefix, RouteUsage Usage);
}
