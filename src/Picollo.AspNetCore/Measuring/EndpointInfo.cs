using System.Diagnostics.CodeAnalysis;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.StaticAssets;
using Picollo.Cpu;
using Picollo.Interop.Linux;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Properties of an endpoint, which are looked up once, and the row of its latest request.</summary>
internal sealed class EndpointInfo(Endpoint endpoint)
{
    /// <summary>Metadata of endpoints whose requests last until the client disconnects or the server has data to send.</summary>
    public static readonly object LongLivedMetadata = new();

    // Any thread may replace it. It is valid only for its own method and prefix.
    private RouteKey? _latest;

    /// <summary>The route pattern, or one of the names in <see cref="RouteTable"/>; null if the endpoint has neither.</summary>
    /// <remarks>A pattern starts with a slash. The application can write it with "/", with "~/", or without a slash.</remarks>
    public string? Route { get; } = endpoint.Metadata.GetMetadata<StaticAssetDescriptor>() is not null ? RouteTable.StaticFiles
        : PatternOf(endpoint) is { } route ? "/" + route.TrimStart('~', '/')
        : null;

    /// <summary>The methods that the endpoint declares, as <see cref="RouteTable.MethodOf"/> returns them; empty if it accepts
    /// all.</summary>
    public IReadOnlyList<string> DeclaredMethods { get; } =
        [.. (endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods ?? []).Select(RouteTable.MethodOf).Distinct()];

    private readonly bool _isLongLived = endpoint.Metadata.Contains(LongLivedMetadata) || IsGrpcStream(endpoint);

    // A SignalR hub. Its transports share a route: GET for connections and long polls, POST for messages from clients. Negotiation
    // has a separate route, on which methods other than POST get 405.
    private readonly bool _isHub =
        endpoint.Metadata.GetMetadata<HubMetadata>() is not null && endpoint.Metadata.GetMetadata<NegotiateMetadata>() is null;

    /// <summary>Whether the application has excluded the endpoint from metrics (<c>DisableHttpMetrics()</c>). The stream of Picollo's own
    /// page is excluded only from the server's metrics.</summary>
    public bool IsExcluded { get; } =
        endpoint.Metadata.GetMetadata<IDisableHttpMetricsMetadata>() is not null && endpoint.Metadata.GetMetadata<IPageMetadata>() is null;

    public bool IsLongLived(string method) => _isLongLived || (_isHub && method == "GET");

    public bool IsPage { get; } = endpoint.Metadata.GetMetadata<IPageMetadata>() is not null;

    /// <param name="method">The method, as <see cref="RouteTable.MethodOf"/> returned it.</param>
    /// <param name="prefix">The prefix of the branch, as <see cref="BranchPrefixes"/> returned it.</param>
    public RouteKey In(string method, string prefix)
    {
        RouteKey? latest = Volatile.Read(ref _latest);
        if (latest is null || !ReferenceEquals(latest.Method, method) || !ReferenceEquals(latest.Prefix, prefix))
        {
            Volatile.Write(ref _latest, latest = new RouteKey(this, method, prefix));
        }

        return latest;
    }

    public string RouteIn(string prefix) => Route is null ? RouteTable.NoEndpoint
        : Route == RouteTable.StaticFiles || prefix.Length == 0 ? Route
        : Route == "/" ? prefix
        : prefix + Route;

    private static string? PatternOf(Endpoint endpoint) => endpoint is RouteEndpoint { RoutePattern: { RequiredValues.Count: > 0 } pattern }
        ? WithRequiredValues(pattern)
        : endpoint.Metadata.GetMetadata<IRouteDiagnosticsMetadata>()?.Route ?? (endpoint as RouteEndpoint)?.RoutePattern.RawText;

    /// <summary>Returns the pattern with the values that the endpoint requires. For conventional routes such as
    /// <c>{controller=Home}/{action=Index}/{id?}</c>, these are the controller and the action: each action has its own endpoint, and all of
    /// them share the text of the pattern.</summary>
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

    /// <summary>Returns whether the endpoint is a gRPC method that is not unary. Uses reflection, because this package does not depend on
    /// the gRPC package that defines the metadata.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "If the properties were trimmed, a method counts as unary.")]
    private static bool IsGrpcStream(Endpoint endpoint)
    {
        object? metadata = endpoint.Metadata.FirstOrDefault(item => item.GetType().FullName == "Grpc.AspNetCore.Server.GrpcMethodMetadata");
        object? method = metadata?.GetType().GetProperty("Method")?.GetValue(metadata);
        return method?.GetType().GetProperty("Type")?.GetValue(method)?.ToString() is { } type && type != "Unary";
    }
}

/// <summary>The key for counting requests of a method to an endpoint in a branch. Thread-safe.</summary>
internal sealed class RouteKey(EndpointInfo endpoint, string method, string prefix)
{
    // Each is looked up once.
    private RouteRow? _short;
    private RouteRow? _longLived;
    private FlowLabel? _label;
    private FlowLabel? _longLivedLabel;

    private readonly bool _isDeclared = endpoint.DeclaredMethods.Contains(method);

    public EndpointInfo Endpoint => endpoint;

    /// <summary>The method of the requests. The row of an undeclared method may have another method.</summary>
    public string Method => method;

    public string Prefix => prefix;

    public string Route => endpoint.RouteIn(prefix);

    public FlowLabel LabelOf(bool isLongLived)
    {
        ref FlowLabel? known = ref isLongLived ? ref _longLivedLabel : ref _label;
        return endpoint.IsExcluded ? FlowLabel.None
            : endpoint.IsPage ? RouteTable.PageLabel
            : known ??= new FlowLabel(RowMethod, RouteTable.NameOf(Route, isLongLived));
    }

    public RouteRow Get(RouteTable routes, bool isLongLived)
    {
        ref RouteRow? known = ref isLongLived ? ref _longLived : ref _short;
        return Volatile.Read(ref known)
            ?? (known = endpoint.IsPage ? routes.Page : routes.Get(
                RowMethod, RouteTable.NameOf(Route, isLongLived), _isDeclared && isLongLived == endpoint.IsLongLived(method)));
    }

    private string RowMethod => _isDeclared ? method : RouteTable.UndeclaredMethodOf(method);
}

internal interface IPageMetadata;
