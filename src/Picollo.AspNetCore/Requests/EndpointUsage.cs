using System.Diagnostics.CodeAnalysis;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.StaticAssets;
using Picollo.AspNetCore.Page;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>What is known of an endpoint: looked up once, and kept with the histograms that it was last requested with.</summary>
internal sealed class EndpointUsage(Endpoint endpoint)
{
    /// <summary>Metadata of endpoints whose requests last until the client disconnects or the server has something to say.</summary>
    public static readonly object LongLivedMetadata = new();

    // Written by any thread; correct for the method and the prefix that it has.
    private RouteKey? _latest;

    /// <summary>The pattern, or one of <see cref="RouteTable"/>'s names; null if there is neither.</summary>
    /// <remarks>The root may be written as "/" or ""; it is "/" here, as <c>http.route</c> of the framework's own metrics.</remarks>
    public string? Route { get; } = endpoint.Metadata.GetMetadata<StaticAssetDescriptor>() is not null ? RouteTable.StaticFiles
        : PatternOf(endpoint) is { } route ? route.Length == 0 ? "/" : route
        : null;

    private readonly bool _isLongLived = endpoint.Metadata.Contains(LongLivedMetadata) || IsStreamOfGrpc(endpoint);

    // Of SignalR. The transports share a route: GET are connections and long polls, and POST is what clients send.
    private readonly bool _isHub = endpoint.Metadata.GetMetadata<HubMetadata>() is not null;

    /// <summary>Whether the application has excluded it from metrics (<c>DisableHttpMetrics()</c>). Picollo's own page has a stream that it
    /// excludes from the server's metrics only.</summary>
    public bool IsExcluded { get; } =
        endpoint.Metadata.GetMetadata<IDisableHttpMetricsMetadata>() is not null && endpoint.Metadata.GetMetadata<PageAccess>() is null;

    /// <summary>Whether requests of a method last until the client disconnects or the server has something to say.</summary>
    public bool IsLongLived(string method) => _isLongLived || (_isHub && method == "GET");

    /// <summary>Whether it is one of Picollo's own page.</summary>
    public bool IsPage { get; } = endpoint.Metadata.GetMetadata<PageAccess>() is not null;

    /// <summary>What its requests of a method that <see cref="RouteTable.MethodOf"/> returned count for, in a branch.</summary>
    public RouteKey In(string method, string prefix)
    {
        RouteKey? latest = Volatile.Read(ref _latest);
        if (latest is null || !ReferenceEquals(latest.Method, method) || !ReferenceEquals(latest.Prefix, prefix))
        {
            Volatile.Write(ref _latest, latest = new RouteKey(this, method, prefix));
        }

        return latest;
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

    /// <summary>Whether the endpoint is a method of gRPC that is not unary. Its metadata is of a package that this one does not
    /// need.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "Without its properties, a method is taken for unary.")]
    private static bool IsStreamOfGrpc(Endpoint endpoint)
    {
        object? metadata = endpoint.Metadata.FirstOrDefault(one => one.GetType().FullName == "Grpc.AspNetCore.Server.GrpcMethodMetadata");
        object? method = metadata?.GetType().GetProperty("Method")?.GetValue(metadata);
        return method?.GetType().GetProperty("Type")?.GetValue(method)?.ToString() is { } type && type != "Unary";
    }
}

/// <summary>What requests of a method to an endpoint in a branch count for. Thread-safe.</summary>
internal sealed class RouteKey(EndpointUsage endpoint, string method, string prefix)
{
    // Looked up once each.
    private RouteUsage? _short;
    private RouteUsage? _longLived;
    private FlowLabel? _label;
    private FlowLabel? _longLivedLabel;

    public EndpointUsage Endpoint => endpoint;

    public string Method => method;

    public string Prefix => prefix;

    /// <summary>The route's name in the branch.</summary>
    public string Route => endpoint.RouteIn(prefix);

    /// <summary>What its requests are for, in CPU profiles.</summary>
    public FlowLabel LabelOf(bool isLongLived)
    {
        ref FlowLabel? known = ref isLongLived ? ref _longLivedLabel : ref _label;
        return endpoint.IsExcluded ? FlowLabel.None
            : endpoint.IsPage ? RouteTable.PageLabel
            : known ??= new FlowLabel(method, RouteTable.NameOf(Route, isLongLived));
    }

    /// <summary>The row of its requests.</summary>
    public RouteUsage Get(RouteTable routes, bool isLongLived)
    {
        ref RouteUsage? known = ref isLongLived ? ref _longLived : ref _short;
        return Volatile.Read(ref known)
            ?? (known = endpoint.IsPage ? routes.Page : routes.Get(method, RouteTable.NameOf(Route, isLongLived)));
    }
}
