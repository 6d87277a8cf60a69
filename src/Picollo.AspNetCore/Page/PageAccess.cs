using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Picollo.AspNetCore.Page;

/// <summary>Restricts the page to requests from this machine in the Development environment, unless its endpoints have authorization
/// metadata. Other requests get 404, and the first reason is logged.</summary>
/// <remarks>Required authorization has already been enforced by ASP.NET Core's middleware, without which routing throws. A loopback
/// connection alone is not enough, because a TCP relay on this machine (HAProxy, stunnel, <c>ssh -R</c>) makes remote requests look
/// local.</remarks>
internal sealed class PageAccess(IHostEnvironment environment, ILogger logger)
{
    private int _hasLogged;

    /// <summary>Wraps an endpoint in the access check.</summary>
    /// <param name="methods">The allowed methods. Other methods get 405 here and not from routing, which would reveal the page to any
    /// client.</param>
    /// <param name="handler">The endpoint. It is called after the common response headers are set.</param>
    public RequestDelegate Protect(IReadOnlyList<string> methods, RequestDelegate handler) => context =>
    {
        if (GetDenialReason(context) is { } reason)
        {
            if (Interlocked.Exchange(ref _hasLogged, 1) == 0)
            {
                TryLog(() => logger.LogRefused(reason));
            }

            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        }

        IHeaderDictionary headers = context.Response.Headers;
        headers.CacheControl = "no-store";
        headers.XContentTypeOptions = "nosniff";
        headers.XFrameOptions = "DENY";
        headers.ContentSecurityPolicy = PageAssets.ContentSecurityPolicy;

        // With no-referrer, a form would be sent with "Origin: null", as a page of another site can send it.
        headers["Referrer-Policy"] = "same-origin";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        if (!methods.Contains(context.Request.Method, StringComparer.Ordinal))
        {
            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            headers.Allow = string.Join(", ", methods);
            return Task.CompletedTask;
        }

        return handler(context);
    };

    /// <summary>Logs a warning if the page is closed to all clients.</summary>
    /// <param name="endpoints">The application's endpoints. The page's endpoints have this object as metadata.</param>
    public void WarnIfClosed(IEnumerable<Endpoint> endpoints)
    {
        if (!environment.IsDevelopment() && endpoints.Any(endpoint => endpoint.Metadata.Contains(this) && !IsOpen(endpoint)))
        {
            TryLog(() => logger.LogClosed(environment.EnvironmentName));
        }
    }

    private string? GetDenialReason(HttpContext context) =>
        IsOpen(context.GetEndpoint()) ? null
        : !environment.IsDevelopment() ? "the environment is not Development"
        : LocalRequest.GetDenialReason(context);

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
