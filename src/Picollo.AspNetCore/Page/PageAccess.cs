using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Picollo.AspNetCore.Page;

/// <summary>Restricts the page to this machine, unless its endpoints have metadata for authorization. Other clients get 404, and the reason
/// is logged once.</summary>
/// <remarks>ASP.NET Core's middleware, without which routing throws, has already enforced an authorization that is required.</remarks>
internal sealed partial class PageAccess(ILogger logger)
{
    private int _hasLogged;

    /// <summary>Wraps an endpoint.</summary>
    /// <param name="methods">The allowed methods. Others get 405 here, not from routing, which would reveal the page to any client.</param>
    /// <param name="handler">The endpoint; called when the headers of all answers are set.</param>
    public RequestDelegate Protect(IReadOnlyList<string> methods, RequestDelegate handler) => context =>
    {
        if (!IsOpen(context) && LocalRequest.ReasonAgainst(context) is { } reason)
        {
            if (Interlocked.Exchange(ref _hasLogged, 1) == 0)
            {
                TryLogRefused(reason);
            }

            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        }

        IHeaderDictionary headers = context.Response.Headers;
        headers.CacheControl = "no-store";
        headers.XContentTypeOptions = "nosniff";
        headers.XFrameOptions = "DENY";
        headers.ContentSecurityPolicy = PageAssets.ContentSecurityPolicy;
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        if (!methods.Contains(context.Request.Method, StringComparer.Ordinal))
        {
            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            headers.Allow = string.Join(", ", methods);
            return Task.CompletedTask;
        }

        return handler(context);
    };

    private void TryLogRefused(string reason)
    {
        try
        {
            LogRefused(reason);
        }
        catch (Exception)
        {
            // Thrown by a logger.
        }
    }

    private static bool IsOpen(HttpContext context) => context.GetEndpoint()?.Metadata is { } metadata
        && (metadata.GetMetadata<IAuthorizeData>() is not null || metadata.GetMetadata<IAllowAnonymous>() is not null);

    [LoggerMessage(
        EventId = 1,
        EventName = "PageRefused",
        Level = LogLevel.Warning,
        Message = "A request for Picollo's page was answered with 404, for {Reason}. Without RequireAuthorization() or AllowAnonymous() "
            + "on MapPicollo() the page is for this machine only. This is logged once.")]
    private partial void LogRefused(string reason);
}
