using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Picollo.AspNetCore.Requests;

/// <summary>The endpoint that a request came for, when it has ended.</summary>
internal static class RequestEndpoint
{
    // Keys of the framework that are not public; the server's own metrics read them, too.
    private const string OriginalEndpointKey = "__OriginalEndpoint"; // HttpExtensions
    private const string RequestUnhandledKey = "__RequestUnhandled"; // ApplicationBuilder

    /// <summary>The endpoint that the request came for; null if there was none.</summary>
    /// <remarks>Error pages run the pipeline a second time, for their own path. The endpoint is that of the first run: the exception
    /// handler leaves a feature with it, and both kinds of pages put it among the request's items. If the first run had none, its end of
    /// the pipeline has put there that the request was unhandled.</remarks>
    public static Endpoint? Of(HttpContext context)
    {
        if (context.Features.Get<IExceptionHandlerFeature>() is { } handled)
        {
            return handled.Endpoint;
        }

        // Not by context.Items, which would allocate items for a request without any.
        Endpoint? last = context.GetEndpoint();
        if (context.Features.Get<IItemsFeature>()?.Items is not { Count: > 0 } items)
        {
            return last;
        }

        return items.TryGetValue(OriginalEndpointKey, out object? original) && original is Endpoint endpoint ? endpoint
            : items.ContainsKey(RequestUnhandledKey) ? null
            : last;
    }
}
