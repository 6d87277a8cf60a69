using System.Net;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Picollo.AspNetCore.Page;

/// <summary>Checks whether a request comes from this machine.</summary>
/// <remarks>
/// A loopback address alone is not enough, because all clients of a reverse proxy on this machine have one. Such a proxy adds headers,
/// keeps the Host that the client requested, or uses HTTP/1.0, as nginx does by default. Middleware that trusts such headers replaces the
/// connection's address with one that the client chose, and keeps the original one in another header. Any web page can make a browser on
/// this machine send requests: with a name that an attacker resolves to 127.0.0.1 (DNS rebinding, visible in the Host), or across origins
/// (visible in the Origin, or in Sec-Fetch-Site for images and scripts, which have no Origin). A proxy can leave none of these traces:
/// since version 1.29.7, nginx uses HTTP/1.1, sends the Host of the upstream and adds no header by default. These checks only deny, and
/// <see cref="PageAccess"/> requires a proof in addition.
/// </remarks>
internal static class LocalRequest
{
    private static readonly HashSet<string> ProxyHeaders = new(StringComparer.OrdinalIgnoreCase)
    {
        "Forwarded", "Via", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP", "Fastly-Client-IP",
    };

    // ForwardedHeadersMiddleware stores the values that it replaced in X-Original-….
    private static readonly string[] ProxyPrefixes = ["X-Forwarded", "X-Original-", "X-Envoy-", "X-ARR-"];

    /// <summary>Returns the reason why a request is not local; null if it is local.</summary>
    public static string? GetDenialReason(HttpContext context)
    {
        HttpRequest request = context.Request;
        return !IsLoopback(context.Connection.RemoteIpAddress) ? "its connection is not from a loopback address"
            : HttpProtocol.IsHttp10(request.Protocol) || request.Headers.Keys.Any(IsProxyHeader) ? "it came through a proxy"
            : !IsLocalName(request.Host.Host) ? "its Host is neither localhost nor a loopback address"
            : !IsSameOrigin(request) ? "it was sent by a page from another origin"
            : null;
    }

    private static bool IsProxyHeader(string header) =>
        ProxyHeaders.Contains(header) || ProxyPrefixes.Any(prefix => header.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));

    public static bool IsLocalName(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host, out IPAddress? address) && IsLoopback(address));

    /// <summary>Returns whether a page of another site sent the request, according to Sec-Fetch-Site or the Origin. Only the host of the
    /// Origin is compared, because a proxy may have terminated TLS.</summary>
    public static bool IsCrossSite(HttpRequest request) => request.Headers["Sec-Fetch-Site"].ToString() switch
    {
        "same-origin" or "none" => false,
        "" => request.Headers[HeaderNames.Origin] is { Count: > 0 } origin
            && !(Uri.TryCreate(origin.ToString(), UriKind.Absolute, out Uri? uri) && uri.Authority == request.Host.Value),
        _ => true,
    };

    private static bool IsSameOrigin(HttpRequest request)
    {
        // Sec-Fetch-Site also covers forms. Their Origin is "null" if a proxy or the application sets Referrer-Policy to no-referrer.
        StringValues origin = request.Headers[HeaderNames.Origin];
        if (origin.Count > 0 && request.Headers["Sec-Fetch-Site"] != "same-origin")
        {
            return string.Equals(origin.ToString(), $"{request.Scheme}://{request.Host.Value}", StringComparison.OrdinalIgnoreCase);
        }

        // A page of another site cannot read the responses, but it could use up MaxPageViewers. Links that a user follows are allowed.
        return request.Headers["Sec-Fetch-Site"].ToString() is not ("same-site" or "cross-site")
            || request.Headers["Sec-Fetch-Dest"] == "document";
    }

    private static bool IsLoopback(IPAddress? address) =>
        address is not null && IPAddress.IsLoopback(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address);
}
