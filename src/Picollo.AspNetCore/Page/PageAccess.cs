using System.Net;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Routing;
using Picollo.AspNetCore.Measuring;
using Picollo.Interop.Linux;

namespace Picollo.AspNetCore.Page;

/// <summary>Restricts the page to the user that runs the application, on this machine and in the Development environment, unless its
/// endpoints have authorization metadata. Other requests get 404, and the first reason is logged.</summary>
/// <remarks>
/// <para>Required authorization has already been enforced by ASP.NET Core's middleware, without which routing throws.</para>
/// <para>A loopback connection alone is not enough, because a proxy or a TCP relay on this machine (nginx, HAProxy, stunnel,
/// <c>ssh -R</c>) makes remote requests look local, and all headers can be those of the remote client. A request that looks local therefore
/// needs a proof: a connection of the same user (<see cref="ClientUser"/>), or the token (<see cref="PageToken"/>). Without one, it gets
/// 401. What remains is a proxy that the same user runs.</para>
/// </remarks>
internal sealed class PageAccess(IHostEnvironment environment, ClientUser client, PageToken token, ILogger logger) : IPageMetadata
{
    private const string Required =
        "This page requires a token, because the client runs as another user than the application, or its user is unknown. ";

    private const string Wrong =
        "The token is not valid. The application has a new token after each start, unless PageToken is set. ";

    private const string Instruction =
        "Open the address that the application logged when it started, or send the header \"Authorization: Bearer TOKEN\".";

    private int _hasLogged;

    /// <summary>Wraps an endpoint in the access check.</summary>
    /// <param name="suffix">The path of the endpoint after the path of the page.</param>
    /// <param name="methods">The allowed methods. Other methods get 405 here and not from routing, which would reveal the page to any
    /// client.</param>
    /// <param name="handler">The endpoint. It is called after the common response headers are set.</param>
    public RequestDelegate Protect(string suffix, IReadOnlyList<string> methods, RequestDelegate handler) => async context =>
    {
        bool isOpen = IsOpen(context.GetEndpoint());
        if (!isOpen && GetDenialReason(context) is { } reason)
        {
            if (Interlocked.Exchange(ref _hasLogged, 1) == 0)
            {
                TryLog(() => logger.LogRefused(reason));
            }

            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        IHeaderDictionary headers = context.Response.Headers;
        headers.CacheControl = "no-store";
        headers.XContentTypeOptions = "nosniff";
        headers.XFrameOptions = "DENY";
        headers.ContentSecurityPolicy = PageDocument.ContentSecurityPolicy;

        // With no-referrer, a form would be sent with "Origin: null", as a page of another site can send it.
        headers["Referrer-Policy"] = "same-origin";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        if (!isOpen && !token.IsIn(context) && !await client.IsServerUserAsync(context))
        {
            await AskForTokenAsync(context, suffix);
            return;
        }

        if (!methods.Contains(context.Request.Method, StringComparer.Ordinal))
        {
            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            headers.Allow = string.Join(", ", methods);
            return;
        }

        await handler(context);
    };

    /// <summary>Logs the address of the page with the token, or a warning if the page is closed to all clients.</summary>
    /// <param name="endpoints">The application's endpoints. The page's endpoints have this object as metadata, and the page itself comes
    /// first.</param>
    /// <param name="server">The server, whose addresses are known after its start.</param>
    public void LogAtStart(IEnumerable<Endpoint> endpoints, IServer? server)
    {
        if (endpoints.FirstOrDefault(endpoint => endpoint.Metadata.Contains(this) && !IsOpen(endpoint)) is not { } page)
        {
            return;
        }

        if (!environment.IsDevelopment())
        {
            TryLog(() => logger.LogClosed(environment.EnvironmentName));
        }
        else
        {
            foreach (string address in GetAddresses(page, server?.Features.Get<IServerAddressesFeature>()?.Addresses ?? []))
            {
                TryLog(() => logger.LogAddress(address, token.Value));
            }
        }
    }

    private async Task AskForTokenAsync(HttpContext context, string suffix)
    {
        HttpRequest request = context.Request;
        string address = PageEndpoints.AddressOf(context) + request.QueryString.ToUriComponent();

        // A middleware may have changed the path after routing.
        string path = request.PathBase.Add(request.Path).Value!.TrimEnd('/');
        path = path.EndsWith(suffix, StringComparison.OrdinalIgnoreCase) ? path[..^suffix.Length] : path;
        if (await token.TryAcceptFormAsync(context, new PathString(path).ToUriComponent(), address))
        {
            return;
        }

        // Only the form with the token is posted to the page itself.
        bool isWrong = PageToken.IsSent(context) || (suffix.Length == 0 && HttpMethods.IsPost(request.Method));
        string instruction = (isWrong ? Wrong : Required) + Instruction;
        context.Response.StatusCode = StatusCodes.Status401Unauthorized;
        context.Response.Headers.WWWAuthenticate = PageToken.Scheme;
        if (request.Headers.Accept.ToString().Contains("text/html", StringComparison.OrdinalIgnoreCase))
        {
            context.Response.Headers.ContentSecurityPolicy = TokenPage.ContentSecurityPolicy;
            await PageEndpoints.WriteHtmlAsync(context, TokenPage.Create(instruction, address));
            return;
        }

        context.Response.ContentType = "text/plain; charset=utf-8";
        context.Response.ContentLength = instruction.Length + 1;
        await context.Response.WriteAsync(instruction + "\n", context.RequestAborted);
    }

    private string? GetDenialReason(HttpContext context) =>
        !environment.IsDevelopment() ? "the environment is not Development" : LocalRequest.GetDenialReason(context);

    /// <summary>Returns the addresses of the page on this machine. A browser may not be able to open each of them: the server does not
    /// report which endpoints accept only HTTP/2 without TLS, as for gRPC.</summary>
    private static IEnumerable<string> GetAddresses(Endpoint page, ICollection<string> addresses)
    {
        if (page is not RouteEndpoint { RoutePattern: { Parameters.Count: 0, RawText: { } path } })
        {
            yield break;
        }

        int? port = page.Metadata.GetMetadata<LocalPort>()?.Number;
        foreach (BindingAddress address in addresses.Select(BindingAddress.Parse))
        {
            if (!address.IsUnixPipe && !address.IsNamedPipe && (port is null || port == address.Port) && GetHost(address.Host) is { } host)
            {
                yield return $"{address.Scheme}://{host}:{address.Port}/{path.TrimStart('/')}";
            }
        }
    }

    // The server listens on all addresses for "*", "+" and other names.
    private static string? GetHost(string host) =>
        LocalRequest.IsLocalName(host) ? host
        : IPAddress.TryParse(host, out IPAddress? address) && !address.Equals(IPAddress.Any) && !address.Equals(IPAddress.IPv6Any) ? null
        : "localhost";

    private static bool IsOpen(Endpoint? endpoint) => endpoint?.Metadata is { } metadata
        && (metadata.GetMetadata<IAuthorizeData>() is not null || metadata.GetMetadata<IAllowAnonymous>() is not null);

    private static void TryLog(Action log)
    {
        try
        {
            log();
        }
        catch (Exception)
        {
            // Thrown by a logger.
        }
    }
}
