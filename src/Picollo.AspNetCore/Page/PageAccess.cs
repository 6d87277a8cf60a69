using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Picollo.AspNetCore.Page;

/// <summary>
/// Who may see the page: where the endpoints say nothing of authorization, only this machine; others get 404, and the log says why, once.
/// </summary>
/// <remarks>Endpoints that ask for authorization are the business of ASP.NET Core's middleware, which runs before and without which
/// routing throws; here it is enough that they ask.</remarks>
internal sealed partial class PageAccess(ILogger logger)
{
    private int _hasLogged;

    /// <summary>Wraps an endpoint.</summary>
    /// <param name="methods">Others get 405: not from routing, which would tell anybody that there is something.</param>
    /// <param name="handler">Is called with the headers set that all answers have.</param>
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

        SetHeaders(context.Response.Headers);
        if (!methods.Contains(context.Request.Method, StringComparer.Ordinal))
        {
            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            context.Response.Headers.Allow = string.Join(", ", methods);
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
            // A logger's.
        }
    }

    private static bool IsOpen(HttpContext context) => context.GetEndpoint()?.Metadata is { } metadata
        && (metadata.GetMetadata<IAuthorizeData>() is not null || metadata.GetMetadata<IAllowAnonymous>() is not null);

    private static void SetHeaders(IHeaderDictionary headers)
    {
        headers.CacheControl = "no-store";
        headers.XContentTypeOptions = "nosniff";
        headers.XFrameOptions = "DENY";
        headers.ContentSecurityPolicy = PageAssets.ContentSecurityPolicy;
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
    }

    [LoggerMessage(
        EventId = 1,
        EventName = "PageRefused",
        Level = LogLevel.Warning,
        Message = "A request for Picollo's page was answered with 404, for {Reason}. Without RequireAuthorization() or AllowAnonymous() "
            + "on MapPicollo() the page is for this machine only. This is logged once.")]
    private partial void LogRefused(string reason);
}
