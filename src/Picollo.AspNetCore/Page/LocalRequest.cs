using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Picollo.AspNetCore.Page;

/// <summary>Checks whether a request comes from this machine.</summary>
/// <remarks>
/// A loopback address alone is not enough. Behind a reverse proxy on this machine all clients have one. Such a proxy adds headers, keeps
/// the Host that the client requested, or, as nginx by default, speaks HTTP/1.0. Middleware that trusts such headers replaces the
/// connection's address with one that the client chose, and keeps the original one in another header. Any page can make a browser on this
/// machine send requests: by a name that an attacker resolves to 127.0.0.1 (DNS rebinding; the Host shows it), or across origins (the
/// Origin shows it, or Sec-Fetch-Site for images and scripts, which have no Origin). A proxy that hides itself in all of these ways is not
/// detected: behind such a proxy, require authorization.
/// </remarks>
internal static class LocalRequest
{
    private static readonly HashSet<string> ProxyHeaders = new(StringComparer.OrdinalIgnoreCase)
    {
        "Forwarded", "Via", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP", "Fastly-Client-IP",
    };

    // X-Original-… is where ForwardedHeadersMiddleware leaves what it replaced.
    private static readonly string[] ProxyPrefixes = ["X-Forwarded", "X-Original-", "X-Envoy-", "X-ARR-"];

    /// <summary>The reason why a request is not local; null if it is.</summary>
    public static string? ReasonAgainst(HttpContext context)
    {
        HttpRequest request = context.Request;
        return !IsLoopback(context.Connection.RemoteIpAddress) ? "its connection is not from a loopback address"
            : request.Headers.Any(header => IsOfProxy(header.Key)) || HttpProtocol.IsHttp10(request.Protocol) ? "it came through a proxy"
            : !IsLocalName(request.Host.Host) ? "its Host is neither localhost nor a loopback address"
            : !IsOwnOrigin(request) ? "it was sent by a page of another origin"
            : null;
    }

    private static bool IsOfProxy(string header) =>
        ProxyHeaders.Contains(header) || ProxyPrefixes.Any(prefix => header.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));

    private static bool IsLocalName(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host, out IPAddress? address) && IsLoopback(address));

    /// <summary>Whether a page of another site has sent a request. The browser reports it, or the Origin shows it: by its host, because a
    /// proxy may have ended TLS.</summary>
    public static bool IsOfOtherSite(HttpRequest request) => request.Headers["Sec-Fetch-Site"].ToString() switch
    {
        "same-origin" or "none" => false,
        "" => request.Headers[HeaderNames.Origin] is { Count: > 0 } origin
            && !(Uri.TryCreate(origin.ToString(), UriKind.Absolute, out Uri? uri) && uri.Authority == request.Host.Value),
        _ => true,
    };

    private static bool IsOwnOrigin(HttpRequest request)
    {
        // The browser reports it, also for a form, whose Origin is "null" because the page sends no referrer.
        StringValues origin = request.Headers[HeaderNames.Origin];
        if (origin.Count > 0 && request.Headers["Sec-Fetch-Site"] != "same-origin")
        {
            return string.Equals(origin.ToString(), $"{request.Scheme}://{request.Host.Value}", StringComparison.OrdinalIgnoreCase);
        }

        // A page cannot read what it fetches this way, but could occupy all viewers' places. A link that a user follows is a document.
        return request.Headers["Sec-Fetch-Site"].ToString() is not ("same-site" or "cross-site")
            || request.Headers["Sec-Fetch-Dest"] == "document";
    }

    private static bool IsLoopback(IPAddress? address) =>
        address is not null && IPAddress.IsLoopback(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address);
}
