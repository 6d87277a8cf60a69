using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Picollo.AspNetCore.Page;

/// <summary>Whether a request comes from this machine itself.</summary>
/// <remarks>
/// A loopback address alone does not say so. A reverse proxy here makes everybody loopback: it adds headers, keeps the Host that the
/// client asked for, or, as nginx does unless it is told otherwise, speaks HTTP/1.0. Middleware that believes such headers puts an address
/// that the client chose in the connection's place, and keeps the original one in a header of its own. A browser here can be sent by any
/// page: by a name that an attacker resolves to 127.0.0.1 (DNS rebinding), which the Host tells, or across origins, which
/// the Origin tells, or, of what is fetched without one (images, scripts), the browser's Sec-Fetch-Site. What remains is a proxy that hides
/// itself in all of these ways: behind one, require authorization.
/// </remarks>
internal static class LocalRequest
{
    private static readonly HashSet<string> ProxyHeaders = new(StringComparer.OrdinalIgnoreCase)
    {
        "Forwarded", "Via", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP", "Fastly-Client-IP",
    };

    // X-Original-… is where ForwardedHeadersMiddleware leaves what it replaced.
    private static readonly string[] ProxyPrefixes = ["X-Forwarded", "X-Original-", "X-Envoy-", "X-ARR-"];

    /// <summary>Why a request is not from here; null for one that is.</summary>
    public static string? ReasonAgainst(HttpContext context)
    {
        HttpRequest request = context.Request;
        if (context.Connection.RemoteIpAddress is not { } address || !IsLoopback(address))
        {
            return "its connection is not from a loopback address";
        }

        if (request.Headers.Any(header => IsOfProxy(header.Key)) || HttpProtocol.IsHttp10(request.Protocol))
        {
            return "it came through a proxy";
        }

        if (!IsLocalName(request.Host.Host))
        {
            return "its Host is neither localhost nor a loopback address";
        }

        return IsOwnOrigin(request) ? null : "it was sent by a page of another origin";
    }

    private static bool IsOfProxy(string header) =>
        ProxyHeaders.Contains(header) || ProxyPrefixes.Any(prefix => header.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));

    private static bool IsLocalName(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host, out IPAddress? address) && IsLoopback(address));

    private static bool IsOwnOrigin(HttpRequest request)
    {
        StringValues origin = request.Headers[HeaderNames.Origin];
        if (origin.Count > 0)
        {
            return string.Equals(origin.ToString(), $"{request.Scheme}://{request.Host.Value}", StringComparison.OrdinalIgnoreCase);
        }

        // A page cannot read what it fetches so, but could take all viewers' places. A link that a person follows is a document.
        return request.Headers["Sec-Fetch-Site"].ToString() is not ("same-site" or "cross-site")
            || request.Headers["Sec-Fetch-Dest"] == "document";
    }

    private static bool IsLoopback(IPAddress address) => IPAddress.IsLoopback(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address);
}
